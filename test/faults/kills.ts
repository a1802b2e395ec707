import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isProcess, signalProcess, waitForExit } from '../../infra/launcher/processes.mjs';
import { type Client, createClient } from '../../packages/client/src/client.ts';
import { drawnShirt } from '../support/images.ts';
import { type Launched, startByLauncher } from '../support/launcher.ts';
import { descendantsOf } from './leftovers.ts';
import { createRandom, type Random } from './random.ts';

/** Who is killed: the worker alone, or by chance the worker or one of its inference children. */
export const VICTIMS = ['any', 'worker'] as const;

export interface KillsPlan {
  jobs: number;
  /** Between two kills, while a worker runs. */
  everyMillis: number;
  /** Jobs that have not ended by then are breaches. */
  minutes: number;
  seed: number;
  victims: (typeof VICTIMS)[number];
  /** Ends everything early. */
  signal?: AbortSignal | undefined;
  /** Called with progress, every minute. */
  tell?(line: string): void;
}

export interface KillsOutcome {
  jobs: number;
  succeeded: number;
  /** Kills of the worker, and of inference children. */
  kills: { worker: number; child: number };
  /** Calls of `/livez`. */
  calls: number;
  slowestCallMillis: number;
  seconds: number;
  breaches: string[];
}

const SLOTS = 2;
const PHOTO = { width: 800, height: 800, format: 'jpeg' } as const;
const SENDERS = 4;
const POLL_MILLIS = 1000;
const FIND_MILLIS = 20;
const EXIT_MILLIS = 10_000;
const CALL_EVERY_MILLIS = 250;
const CALL_TIMEOUT_MILLIS = 5000;
const MINUTE_MILLIS = 60_000;

/** Waits, less long if the signal aborts. */
const pauseUnless = (millis: number, signal: AbortSignal): Promise<void> =>
  pause(millis, undefined, { signal }).catch(() => {});

const isWorker = (pid: number): boolean => isProcess(pid, 'workers/main.');

/** Resolves with the worker as soon as one runs; undefined if the signal aborts. */
async function nextWorker({ pids }: Launched, signal: AbortSignal): Promise<number | undefined> {
  while (!signal.aborted) {
    const { worker } = await pids();
    if (isWorker(worker)) return worker;
    await pauseUnless(FIND_MILLIS, signal);
  }
  return undefined;
}

/** Kills the worker or, by chance, one of its children. Returns which of both. */
async function killOne(
  worker: number,
  victims: KillsPlan['victims'],
  random: Random,
): Promise<keyof KillsOutcome['kills']> {
  const children = victims === 'any' ? await descendantsOf(worker) : [];
  const victim = random.pick([worker, ...children]);
  signalProcess(victim, 'SIGKILL');
  await waitForExit(victim, EXIT_MILLIS);
  return victim === worker ? 'worker' : 'child';
}

/**
 * Kills at once and then again and again while a worker runs, until a signal aborts. The time between two kills starts
 * with the worker: otherwise a worker that returns after a pause of 30 s, twelve times 2.5, would be killed at once.
 */
async function killAll(
  launched: Launched,
  { victims, everyMillis, seed }: KillsPlan,
  kills: KillsOutcome['kills'],
  signal: AbortSignal,
): Promise<void> {
  const random = createRandom(seed);
  for (;;) {
    const worker = await nextWorker(launched, signal);
    if (worker === undefined) return;
    kills[await killOne(worker, victims, random)]++;
    await nextWorker(launched, signal);
    await pauseUnless(everyMillis, signal);
  }
}

/** Sends jobs, each with an image of its own. Resolves with their ids. */
async function sendJobs(client: Client, count: number, onFirst: () => void): Promise<string[]> {
  const photo = await drawnShirt(PHOTO);
  const ids: string[] = [];
  let left = count;
  const lane = async () => {
    while (left-- > 0) {
      // Bytes after the end of a JPEG are ignored.
      const image = Buffer.concat([photo, randomBytes(16)]);
      ids.push((await client.jobs.create({ image })).id);
      onFirst();
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, lane));
  return ids;
}

/** How many jobs have which status. */
type Counts = Record<string, number>;

/** Waits until all jobs have ended or the signal aborts. Returns what became of them. */
async function awaitJobs(
  { jobs }: Client,
  ids: readonly string[],
  signal: AbortSignal,
  onStatus: (counts: Counts) => void,
): Promise<Counts> {
  const ended: Counts = {};
  let pending = [...ids];
  while (pending.length > 0 && !signal.aborted) {
    const left: string[] = [];
    for (const id of pending) {
      const { status } = await jobs.get(id);
      if (status === 'queued' || status === 'active') left.push(id);
      else ended[status] = (ended[status] ?? 0) + 1;
    }
    pending = left;
    onStatus(ended);
    if (pending.length > 0) await pauseUnless(POLL_MILLIS, signal);
  }
  return pending.length > 0 ? { ...ended, unfinished: pending.length } : ended;
}

/** Calls `/livez` until a signal aborts. */
function watchGateway(url: string, signal: AbortSignal) {
  const seen = { calls: 0, slowestMillis: 0, missed: [] as string[] };
  const startedAt = performance.now();
  const call = async () => {
    const calledAt = performance.now();
    const error = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(CALL_TIMEOUT_MILLIS) })
      .then(async (response) => {
        await response.body?.cancel();
        return response.ok ? undefined : `status ${response.status}`;
      })
      .catch(String);
    seen.calls++;
    seen.slowestMillis = Math.max(seen.slowestMillis, performance.now() - calledAt);
    if (error !== undefined)
      seen.missed.push(`${error} after ${Math.round((calledAt - startedAt) / 1000)} s`);
  };
  async function callAll(): Promise<void> {
    while (!signal.aborted) {
      await call();
      await pauseUnless(CALL_EVERY_MILLIS, signal);
    }
  }
  return { seen, done: callAll() };
}

/** Runs `npm start`, sends jobs, and kills processes of its worker until all jobs have ended. */
export async function runKills(plan: KillsPlan): Promise<KillsOutcome> {
  plan.signal?.throwIfAborted();
  const launched = await startByLauncher({ WORKER_CONCURRENCY: String(SLOTS) });
  try {
    return await play(launched, plan);
  } finally {
    await launched.stop();
  }
}

async function play(launched: Launched, plan: KillsPlan): Promise<KillsOutcome> {
  const { jobs, minutes, tell } = plan;
  const { url, key, launcher } = launched;
  const { gateway } = await launched.pids();
  const client = createClient({ baseUrl: url, key });
  const startedAt = performance.now();
  const over = new AbortController();
  const limit = AbortSignal.timeout(minutes * MINUTE_MILLIS);
  const given = AbortSignal.any([limit, ...(plan.signal ? [plan.signal] : [])]);

  const watch = watchGateway(url, over.signal);
  const kills = { worker: 0, child: 0 };
  let killing: Promise<void> | undefined;
  let succeeded = 0;
  const everyMinute = setInterval(() => {
    const minute = Math.round((performance.now() - startedAt) / MINUTE_MILLIS);
    const { calls, missed } = watch.seen;
    tell?.(
      `minute ${minute}: ${succeeded} of ${jobs} jobs succeeded; killed: worker ${kills.worker}, ` +
        `child ${kills.child}; ${calls - missed.length} of ${calls} calls answered`,
    );
  }, MINUTE_MILLIS);
  try {
    const ids = await sendJobs(client, jobs, () => {
      killing ??= killAll(launched, plan, kills, over.signal);
    });
    const counts = await awaitJobs(client, ids, given, (ended) => {
      succeeded = ended.succeeded ?? 0;
    });
    const seconds = (performance.now() - startedAt) / 1000;
    over.abort();
    await Promise.all([watch.done, killing]);
    plan.signal?.throwIfAborted();
    const isSameGateway = (await launched.pids()).gateway === gateway;
    const isRunning = launcher.child.exitCode === null && launcher.child.signalCode === null;
    return {
      jobs,
      succeeded,
      kills,
      calls: watch.seen.calls,
      slowestCallMillis: Math.round(watch.seen.slowestMillis),
      seconds,
      breaches: breachesIn({ counts, missed: watch.seen.missed, isSameGateway, isRunning }),
    };
  } finally {
    over.abort();
    clearInterval(everyMinute);
  }
}

interface Findings {
  counts: Counts;
  missed: readonly string[];
  isSameGateway: boolean;
  /** Whether the launcher still runs. */
  isRunning: boolean;
}

/** Returns what was broken of: every job succeeds, the gateway always answers, nobody starts anything by hand. */
export const breachesIn = ({ counts, missed, isSameGateway, isRunning }: Findings): string[] => [
  ...Object.entries(counts)
    .filter(([status]) => status !== 'succeeded')
    .map(([status, count]) => `${count} jobs are ${status}`),
  ...missed.map((error) => `the gateway did not answer /livez: ${error}`),
  ...(isSameGateway ? [] : ['the gateway was started again']),
  ...(isRunning ? [] : ['npm start has ended']),
];

export function killsReport(outcome: KillsOutcome): string {
  const { jobs, succeeded, kills, calls, slowestCallMillis, seconds, breaches } = outcome;
  return [
    `${succeeded} of ${jobs} jobs succeeded in ${Math.round(seconds)} s.`,
    `Killed: the worker ${kills.worker} times, an inference child ${kills.child} times.`,
    `${calls} calls of /livez, the slowest ${slowestCallMillis} ms.`,
    ...(breaches.length === 0 ? ['No breach.'] : breaches.map((breach) => `Breach: ${breach}`)),
  ].join('\n');
}
