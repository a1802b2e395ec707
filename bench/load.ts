import { availableParallelism, cpus } from 'node:os';
import { Command } from 'commander';
import { type Stack, startStack } from '../test/support/stack.ts';
import { withJsonKeys } from './labels.ts';
import { loadFigures, type Run, retryAfterAccuracy, verdicts } from './load/figures.ts';
import { type Generator, startGenerator } from './load/generator-client.ts';
import { watchMemory } from './load/memory.ts';
import { markdownTable } from './markdown.ts';
import { median } from './statistics.ts';

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
      'Sends more removals than the service can process: waits, rejections, accuracy of Retry-After.',
    )
    .option('--minutes <n>', 'duration of the load', Number, 10)
    .option('--share <n>', 'load as a share of the measured capacity', Number, 1.2)
    .option('--base-minutes <n>', 'duration of the base load, which runs first', Number, 1)
    .option('--base-share <n>', 'base load as a share of the capacity', Number, 0.8)
    .option('--capacity-seconds <n>', 'duration of the capacity measurement', Number, 20)
    .option(
      '--probes <share>',
      'share of the rejected clients that return as Retry-After says',
      Number,
      0.2,
    )
    .option('--seed <n>', 'seed of the arrivals and of the returning clients', Number, 1)
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();

const logProgress = (text: string): void => console.error(`${new Date().toISOString()} ${text}`);

async function measure(stack: Stack, generator: Generator, options: Options): Promise<Run> {
  const { share, baseShare, probes: probeShare, seed } = options;
  const [seconds, baseSeconds] = [60 * options.minutes, 60 * options.baseMinutes];
  const slots = availableParallelism();
  const lanes = 2 * slots + 2;
  await generator.oneByOne(WARM_UP);
  await generator.closedLoop(lanes, options.capacitySeconds / 4);
  const idleMillis = median(await generator.oneByOne(IDLE_REMOVALS));
  logProgress(`idle ${idleMillis.toFixed(0)} ms; measuring the capacity`);
  const capacity = await generator.closedLoop(lanes, options.capacitySeconds);
  logProgress(`capacity ${capacity.toFixed(2)} per second; ${baseSeconds} s at ${baseShare} of it`);
  const probing = { probeShare, idleMillis };
  const base = { ...probing, perSecond: baseShare * capacity, seconds: baseSeconds };
  const calm = await generator.flood(base, seed);
  logProgress(`${seconds} s at ${share} of the capacity`);
  const stopWatching = watchMemory({
    gateway: stack.gateway.pid,
    'worker with children': stack.worker.pid,
    Redis: stack.redis.process().pid ?? -1,
  });
  const flood = await generator.flood(
    { ...probing, perSecond: share * capacity, seconds },
    seed + 1,
  );
  return {
    slots,
    deadlineMillis: 1000 * DEADLINE_SECONDS,
    idleMillis,
    capacity,
    lanes,
    closedSeconds: options.capacitySeconds,
    base: { share: baseShare, seconds: baseSeconds, flood: calm },
    load: { share, seconds, flood },
    memory: stopWatching(),
  };
}

const rounded = (value: number): string => (Number.isNaN(value) ? '–' : value.toFixed(0));

function loadRow({ share, seconds, flood }: Run['load']): string[] {
  const { sent, statuses, p50, p95, p99, max, rejectedIn } = loadFigures(flood.sent);
  const served = statuses[200] ?? 0;
  return [
    `${(100 * share).toFixed(0)} %`,
    `${sent}`,
    `${(served / seconds).toFixed(1)}`,
    `${statuses[503] ?? 0}`,
    ...[p50, p95, p99, max, rejectedIn].map(rounded),
  ];
}

const LOAD_HEAD = [
  'load',
  'sent',
  'served per second',
  'rejected',
  'p50 ms',
  'p95 ms',
  'p99 ms',
  'max ms',
  'rejected in, p99 ms',
];

function print(run: Run, { seed }: Options): void {
  const { capacity, lanes, closedSeconds, idleMillis, slots, base, load } = run;
  console.log(
    `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.versions.node}, ${slots} slots, seed ${seed}`,
  );
  console.log(
    `Capacity ${capacity.toFixed(2)} removals per second (${lanes} lanes, ${closedSeconds} s); a single one ${idleMillis.toFixed(0)} ms.\n`,
  );
  console.log(`${markdownTable([LOAD_HEAD, loadRow(base), loadRow(load)])}\n`);
  const rows = verdicts(run).map(({ criterion, target, measured, isMet }) => [
    criterion,
    target,
    measured,
    isMet ? 'yes' : '**no**',
  ]);
  console.log(markdownTable([['criterion', 'target', 'measured', 'met'], ...rows]));
}

function toJson(run: Run): string {
  const { base, load, memory, ...rest } = run;
  const summarize = ({ share, seconds, flood }: Run['load']) => {
    const { max, properRejections, rejectedIn, ...figures } = loadFigures(flood.sent);
    return {
      share,
      seconds,
      truth: retryAfterAccuracy(flood.probes),
      probes: flood.probes.length,
      recoverySeconds: flood.recoverySeconds,
      ...figures,
      slowest: max,
      properRefusals: properRejections,
      refusedIn: rejectedIn,
    };
  };
  return JSON.stringify({
    ...rest,
    memory: withJsonKeys(memory),
    base: summarize(base),
    load: summarize(load),
    verdicts: verdicts(run).map(({ criterion, target, measured, isMet }) => ({
      line: criterion,
      wanted: target,
      seen: measured,
      kept: isMet,
    })),
  });
}

/** Prints how the service behaves under overload. */
export async function run(argv: string[]): Promise<void> {
  const options = parse(argv);
  const stack = await startStack({
    WORKER_CONCURRENCY: String(availableParallelism()),
    SYNC_TIMEOUT_SECONDS: String(DEADLINE_SECONDS),
    LOG_LEVEL: 'info',
  });
  try {
    const keys = await Promise.all(
      Array.from({ length: CLIENTS }, (_, n) => stack.key({ client: `load-${n}` })),
    );
    const generator = await startGenerator(
      stack.url,
      keys.map(({ key }) => key),
    );
    try {
      const results = await measure(stack, generator, options);
      if (options.json) console.log(toJson(results));
      else print(results, options);
    } finally {
      await generator.close();
    }
  } finally {
    await stack.stop();
  }
}
