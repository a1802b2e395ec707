import { parseArgs } from 'node:util';
import { commitBefore } from '../../infra/images/upgrade-from.ts';
import { compileAll } from '../support/compile-all.ts';
import { ROOT } from '../support/root.ts';
import { type Outcome, runCampaign } from './campaign.ts';
import { failoverReport, runFailovers } from './failovers.ts';
import { FAULTS } from './faults.ts';
import { NOT_PROMISED, runFlushall } from './flushall.ts';
import { ATTACKS } from './hostile/attacks.ts';
import { brokenPromises, hostileTable, runHostile } from './hostile/run.ts';
import { killsReport, runKills, VICTIMS } from './kills.ts';
import { powerCut, QUOTA, runLastSecond } from './last-second.ts';
import { endDescendants } from './leftovers.ts';
import { replicaBehind } from './redis-faults.ts';
import { compileRelease } from './releases.ts';
import { measureTimes, timesTable } from './restart-times.ts';
import { runUpgrade, SHARED_BY_RELEASES } from './upgrade.ts';

const HELP = `npm run faults [-- options]   inject faults into a real installation under load, and check its invariants
  --units <n>      images and rows to send          300
  --faults <n>     faults to inject meanwhile       28
  --seed <n>       of the random order              1
  --store <fs|s3>  storage: files, or the S3 server of AWS_ENDPOINT_URL_S3                         fs
  --only <words>   only faults whose names contain this
  --hosts          each process on its own host, with faults of the network between them; needs root, iproute2 and --store fs
  --with <commit>  run one gateway and one worker of this earlier commit
  --logs <file>    write the logs of all processes to this file
  --list           only list the faults
  --json           print the outcome as one JSON document

npm run faults -- flushall    empty Redis under load, recover as in the runbook, and check the invariants that still hold
  --units, --seed, --store, --logs, --json

npm run faults -- last-second lose the last second of Redis under load
  --by <power|replica>  a power cut, or a promoted replica that is a second behind                  power
  --cuts <n>       how often                        10
  --units, --seed, --store, --logs, --json

npm run faults -- failovers   promote a replica of Redis again and again under load, and check everything
  --promotions <n> in one run                       3
  --jobs <n>, --removals <n>  to send meanwhile     200, 100
  --seed, --store, --logs, --json

npm run faults -- upgrade     stop an earlier commit with work in flight, start this tree in its place, and check everything
  --with <commit>  default: the last that differs in what releases share
  --seed, --store, --logs, --json

npm run faults -- times       how long after a death, a restart or a loss work goes on
  --kills <n>      of each kind                     20
  --jobs <n>       that Redis forgets               10000
  --json

npm run faults -- kills       kill a worker of npm start again and again; all jobs must succeed, the gateway must answer
  --jobs <n>       to send                          150
  --every-millis <n>  between two kills, while a worker runs  2500
  --minutes <n>    after which it gives up          30
  --victims <worker|any>  the worker alone, or it and its inference children by chance             any
  --seed <n>       of the choice                    1
  --json

npm run faults -- hostile     attack an installation beside an honest client, and check what that client still gets
  --only <words>   only attacks whose names contain this
  --short          the form for npm test: fewer and smaller requests, and generous times
  --with <commit>  attack this earlier commit first, and print its figures beside those of this tree
  --list, --json`;

/** The outcome as tables. */
function report({ seed, acceptedByWay, rejected, played, breaches, seconds }: Outcome): string {
  const total = Object.values(played).reduce((sum, times) => sum + times, 0);
  const accepted = Object.entries(acceptedByWay).map(([way, count]) => `${way} ${count}`);
  return [
    `Seed ${seed}: ${accepted.join(', ')} accepted, ${rejected} rejected, ${total} faults, ${Math.round(seconds)} s`,
    '',
    '| fault | played |',
    '|---|---|',
    ...Object.entries(played).map(([name, times]) => `| ${name} | ${times} |`),
    '',
    '| promise | breaches |',
    '|---|---|',
    ...breaches.map(({ promise, found }) => `| ${promise} | ${found.length} |`),
    ...breaches.flatMap(({ promise, found }) =>
      found.slice(0, 10).map((breach) => `${promise}: ${breach}`),
    ),
  ].join('\n');
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    units: { type: 'string', default: '300' },
    faults: { type: 'string', default: '28' },
    seed: { type: 'string', default: '1' },
    store: { type: 'string', default: 'fs' },
    only: { type: 'string', default: '' },
    hosts: { type: 'boolean', default: false },
    with: { type: 'string' },
    kills: { type: 'string', default: '20' },
    by: { type: 'string', default: 'power' },
    cuts: { type: 'string', default: '10' },
    jobs: { type: 'string' },
    removals: { type: 'string', default: '100' },
    promotions: { type: 'string', default: '3' },
    'every-millis': { type: 'string', default: '2500' },
    minutes: { type: 'string', default: '30' },
    victims: { type: 'string', default: 'any' },
    logs: { type: 'string' },
    short: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const stopping = new AbortController();
const common = {
  store: values.store === 's3' ? ('s3' as const) : ('fs' as const),
  signal: stopping.signal,
  logs: values.logs,
  tell: (line: string) => console.error(line),
};
const work = { ...common, seed: Number(values.seed), units: Number(values.units) };
const print = (outcome: object, table: string): void =>
  console.log(values.json ? JSON.stringify(outcome) : table);

/** Prints the outcome; returns the exit code. */
function conclude(outcome: Outcome, notes: readonly string[] = []): number {
  print(outcome, [report(outcome), ...notes].join('\n'));
  return outcome.breaches.some(({ found }) => found.length > 0) ? 1 : 0;
}

async function campaign(): Promise<number> {
  const release = values.with === undefined ? undefined : compileRelease(values.with);
  try {
    const { hosts, only } = values;
    const faults = Number(values.faults);
    return conclude(await runCampaign({ ...work, faults, kinds: FAULTS, only, hosts, release }));
  } finally {
    release?.remove();
  }
}

async function flushall(): Promise<number> {
  const notes = Object.entries(NOT_PROMISED).map(
    ([promise, why]) => `Not promised: ${promise}; ${why}`,
  );
  return conclude(await runFlushall(work), notes);
}

async function lastSecond(): Promise<number> {
  const loss = { power: powerCut, replica: replicaBehind }[values.by];
  if (!loss) throw new Error('--by must be one of: power, replica');
  const outcome = await runLastSecond({ ...work, cuts: Number(values.cuts), atOnce: 2 }, loss);
  const seconds = outcome.endedAfterSeconds.map((each) => each.toFixed(1)).join(', ');
  return conclude(outcome, [
    `Seconds from each loss until all that was accepted before had ended: ${seconds}`,
    `Not promised: ${QUOTA}; what was counted in the lost second is forgotten`,
  ]);
}

async function failovers(): Promise<number> {
  const outcome = await runFailovers({
    ...common,
    seed: Number(values.seed),
    jobs: Number(values.jobs ?? 200),
    removals: Number(values.removals),
    promotions: Number(values.promotions),
  });
  print(outcome, failoverReport(outcome));
  return outcome.breaches.some(({ found }) => found.length > 0) ? 1 : 0;
}

async function upgrade(): Promise<number> {
  const from = values.with ?? (await commitBefore(ROOT, SHARED_BY_RELEASES));
  if (from === undefined) throw new Error('git knows no earlier commit: name one by --with');
  const outcome = await runUpgrade({ ...common, seed: Number(values.seed), from });
  return conclude(outcome, [`In flight: ${JSON.stringify(outcome.inFlight)}`]);
}

async function times(): Promise<number> {
  const measured = await measureTimes({
    ...common,
    kills: Number(values.kills),
    jobs: Number(values.jobs ?? 10_000),
  });
  print(measured, timesTable(measured));
  return 0;
}

async function kills(): Promise<number> {
  const { signal, tell } = common;
  const victims = VICTIMS.find((choice) => choice === values.victims);
  if (!victims) throw new Error(`--victims must be one of: ${VICTIMS.join(', ')}`);
  const outcome = await runKills({
    jobs: Number(values.jobs ?? 150),
    everyMillis: Number(values['every-millis']),
    minutes: Number(values.minutes),
    seed: Number(values.seed),
    victims,
    signal,
    tell,
  });
  print(outcome, killsReport(outcome));
  return outcome.breaches.length > 0 ? 1 : 0;
}

async function hostile(): Promise<number> {
  const { signal, tell } = common;
  const { only, short: isShort, with: earlier } = values;
  const outcome = await runHostile({ isShort, only, earlier, signal, tell });
  const broken = brokenPromises(outcome);
  print(outcome, [hostileTable(outcome), '', ...broken].join('\n'));
  return broken.length > 0 ? 1 : 0;
}

const COMMANDS: Readonly<Record<string, () => Promise<number>>> = {
  campaign,
  flushall,
  'last-second': lastSecond,
  failovers,
  upgrade,
  times,
  kills,
  hostile,
};

const name = positionals[0] ?? 'campaign';
const command = COMMANDS[name];
if (values.help || !command) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}
if (values.hosts && values.store === 's3') {
  console.error('Hosts are made for a store of files only.');
  process.exit(2);
}
if (values.list) {
  for (const { name: listed } of name === 'hostile' ? ATTACKS : FAULTS) console.log(listed);
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => stopping.abort(new Error('called off')));
await compileAll();
const code = await command().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  return stopping.signal.aborted ? 130 : 1;
});
// Processes a fault was about to restart when it was aborted.
await endDescendants();
process.exit(code);
