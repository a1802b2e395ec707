import { availableParallelism, cpus } from 'node:os';
import { Command } from 'commander';
import { type Stack, startStack } from '../test/support/stack.ts';
import { loadFigures, type Run, truthOf, verdicts } from './load/figures.ts';
import { watchMemory } from './load/memory.ts';
import { type Generator, startGenerator } from './load/order.ts';
import { quantile } from './load/quantile.ts';
import { markdownTable } from './markdown.ts';

interface Options {
  minutes: number;
  share: number;
  baseMinutes: number;
  baseShare: number;
  capacitySeconds: number;
  probes: number;
  seed: number;
  json: boolean;
}

const CLIENTS = 4;
const WARM_UP = 10;
const IDLE_REMOVALS = 30;
const DEADLINE_SECONDS = 25;

const parse = (argv: string[]): Options =>
  new Command('bench load')
    .description(
      'Removals that come as they come, more than can be done: who is let in, who is sent away, and what they were told.',
    )
    .option('--minutes <n>', 'of load', Number, 10)
    .option('--share <n>', 'of the capacity that is measured first', Number, 1.2)
    .option('--base-minutes <n>', 'of a load that can be served, before it', Number, 1)
    .option('--base-share <n>', 'of the capacity, for that', Number, 0.8)
    .option('--capacity-seconds <n>', 'in which the capacity is measured', Number, 20)
    .option('--probes <share>', 'of those sent away who come back when told', Number, 0.2)
    .option('--seed <n>', 'of arrivals and of who comes back', Number, 1)
    .option('--json', 'answer in JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();

const say = (what: string): void => console.error(`${new Date().toISOString()} ${what}`);

async function measure(stack: Stack, generator: Generator, options: Options): Promise<Run> {
  const { share, baseShare, probes: probeShare, seed } = options;
  const [seconds, baseSeconds] = [60 * options.minutes, 60 * options.baseMinutes];
  const slots = availableParallelism();
  const lanes = 2 * slots + 2;
  await generator.oneByOne(WARM_UP);
  await generator.closedLoop(lanes, options.capacitySeconds / 4);
  const idleMillis = quantile(await generator.oneByOne(IDLE_REMOVALS), 0.5);
  say(`idle ${idleMillis.toFixed(0)} ms; measuring the capacity`);
  const capacity = await generator.closedLoop(lanes, options.capacitySeconds);
  say(`capacity ${capacity.toFixed(2)} a second; ${baseSeconds} s at ${baseShare} of it`);
  const wish = { probeShare, idleMillis };
  const base = { ...wish, perSecond: baseShare * capacity, seconds: baseSeconds };
  const calm = await generator.flood(base, seed);
  say(`${seconds} s at ${share} of the capacity`);
  const grown = watchMemory({
    'the gateway': stack.gateway.pid,
    'the worker and its children': stack.worker.pid,
    Redis: stack.redis.process().pid ?? -1,
  });
  const flood = await generator.flood({ ...wish, perSecond: share * capacity, seconds }, seed + 1);
  return {
    ...{ slots, deadlineMillis: 1000 * DEADLINE_SECONDS, idleMillis, capacity, lanes },
    closedSeconds: options.capacitySeconds,
    base: { share: baseShare, seconds: baseSeconds, flood: calm },
    load: { share, seconds, flood },
    memory: grown(),
  };
}

const whole = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(0));

function loadRow({ share, seconds, flood }: Run['load']): string[] {
  const { sent, statuses, p50, p95, p99, slowest, refusedIn } = loadFigures(flood.sent);
  const served = statuses[200] ?? 0;
  return [
    `${(100 * share).toFixed(0)} %`,
    `${sent}`,
    `${(served / seconds).toFixed(1)}`,
    `${statuses[503] ?? 0}`,
    ...[p50, p95, p99, slowest, refusedIn].map(whole),
  ];
}

const LOAD_HEAD = [
  ...['load', 'sent', 'served a second', 'sent away'],
  ...['p50 ms', 'p95 ms', 'p99 ms', 'slowest ms', 'sent away in, p99 ms'],
];

function print(run: Run, { seed }: Options): void {
  const { capacity, lanes, closedSeconds, idleMillis, slots, base, load } = run;
  console.log(
    `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.versions.node}, ${slots} slots, seed ${seed}`,
  );
  console.log(
    `Capacity ${capacity.toFixed(2)} removals a second (${lanes} lanes, ${closedSeconds} s); one alone ${idleMillis.toFixed(0)} ms.\n`,
  );
  console.log(`${markdownTable([LOAD_HEAD, loadRow(base), loadRow(load)])}\n`);
  const rows = verdicts(run).map(({ line, wanted, seen, kept }) => [
    ...[line, wanted, seen, kept ? 'yes' : '**no**'],
  ]);
  console.log(markdownTable([['promise', 'wanted', 'seen', 'kept'], ...rows]));
}

function asJson(run: Run): string {
  const { base, load, ...rest } = run;
  const summed = ({ share, seconds, flood }: Run['load']) => ({
    ...{ share, seconds, truth: truthOf(flood.probes), probes: flood.probes.length },
    ...{ recoverySeconds: flood.recoverySeconds, ...loadFigures(flood.sent) },
  });
  return JSON.stringify({
    ...rest,
    base: summed(base),
    load: summed(load),
    verdicts: verdicts(run),
  });
}

/** Prints how the service fares when more is asked of it than it can do. */
export async function run(argv: string[]): Promise<void> {
  const options = parse(argv);
  const stack = await startStack({
    WORKER_CONCURRENCY: String(availableParallelism()),
    SYNC_TIMEOUT_SECONDS: String(DEADLINE_SECONDS),
    LOG_LEVEL: 'info',
  });
  try {
    const made = await Promise.all(
      Array.from({ length: CLIENTS }, (_, n) => stack.key({ client: `load-${n}` })),
    );
    const generator = await startGenerator(
      stack.url,
      made.map(({ key }) => key),
    );
    try {
      const seen = await measure(stack, generator, options);
      if (options.json) console.log(asJson(seen));
      else print(seen, options);
    } finally {
      await generator.close();
    }
  } finally {
    await stack.stop();
  }
}
