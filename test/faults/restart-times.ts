import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { readConfig } from '../../src/platform/config.ts';
import { ROOT } from '../support/root.ts';
import { underLoad, untilServed } from './asking.ts';
import { inRedis } from './fault.ts';
import { recover, restoringKeys } from './flushall.ts';
import { childrenOf, type Member } from './installation.ts';
import { onStage, type Stage, type StageSettings } from './stage.ts';
import { freshPicture } from './world.ts';

/** The measured durations, milliseconds. */
export interface Measured {
  name: string;
  millis: number[];
  /** The 95th percentile must not exceed this. */
  targetMillis: number;
}

interface Settings extends StageSettings {
  kills: number;
  jobs: number;
}

/** A worker that is killed between two jobs leaves none to take over. */
const NOTHING_TAKEN_MILLIS = 8000;
const OUTAGES_MILLIS = [500, 10_000] as const;
const ACCEPTED_AT_ONCE = 32;

/** Reads from a log line when a job was started again after its worker was lost; epoch milliseconds. */
function restartOf(line: string): number | undefined {
  if (!line.includes('"isTakenOver":true')) return undefined;
  const { time, millis } = JSON.parse(line);
  return Date.parse(time) - Number(millis);
}

/** Kills one worker; resolves with the time until another restarted its job, if it had one. */
async function killWorker(victim: Member, other: Member): Promise<number | undefined> {
  const killedAt = Date.now();
  const isRestart = (line: string) => (restartOf(line) ?? 0) > killedAt;
  const nothing = pause(NOTHING_TAKEN_MILLIS, undefined);
  await victim.end('SIGKILL');
  const line = await Promise.race([other.running.line(isRestart), nothing]);
  await victim.start();
  return line === undefined ? undefined : (restartOf(line) ?? 0) - killedAt;
}

async function workerKills(stage: Stage, { kills, tell }: Settings): Promise<Measured> {
  const [one, other] = stage.installation.workers;
  if (!one || !other) throw new Error('two workers are needed');
  const millis: number[] = [];
  await underLoad(stage, async () => {
    for (let i = 0; millis.length < kills && i < 3 * kills; i++) {
      const took = await (i % 2 === 0 ? killWorker(one, other) : killWorker(other, one));
      if (took !== undefined) millis.push(took);
      tell?.(`worker ${i + 1} killed: ${took ?? 'it had no job'}`);
    }
  });
  return { name: 'worker killed, until its job restarts', millis, targetMillis: 3000 };
}

/** Measures the time an inference child takes to start and load its model, milliseconds. */
async function loadMillis(): Promise<number> {
  // Starts from the build, as installed: from source it is slower.
  const { startEngine }: typeof import('../../workers/inference/pool.ts') = await import(
    join(ROOT, 'dist/workers/inference/pool.js')
  );
  const { MODEL: model, DEVICE: device, MAX_IMAGE_PIXELS: maxPixels, ...config } = readConfig({});
  const modelsHome = join(config.SELVAGE_HOME, 'models');
  const startedAt = performance.now();
  const engine = await startEngine({ model, device, maxPixels, modelsHome, slots: 1 });
  const took = performance.now() - startedAt;
  await engine.close();
  return took;
}

async function childKills(stage: Stage, { kills, tell }: Settings): Promise<Measured> {
  const [worker, other] = stage.installation.workers;
  if (!worker || !other) throw new Error('two workers are needed');
  await other.end('SIGTERM');
  const millis: number[] = [];
  for (let i = 0; i < kills; i++) {
    const load = await loadMillis();
    await untilServed(stage);
    for (const pid of await childrenOf(worker)) process.kill(pid, 'SIGKILL');
    const took = await untilServed(stage);
    millis.push(Math.max(0, took - load));
    tell?.(
      `child ${i + 1} killed: ${Math.round(took)}, of these ${Math.round(load)} a child's start`,
    );
  }
  await other.start();
  return {
    name: "inference child killed, until the next cut-out, less a child's start",
    millis,
    targetMillis: 300,
  };
}

/** Waits until a starting Redis responds. */
async function untilPong(url: string): Promise<void> {
  for (;;) {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => {});
    const answer = await redis
      .connect()
      .then(() => redis.ping())
      .catch(() => pause(2));
    redis.disconnect();
    if (answer === 'PONG') return;
  }
}

async function redisRestarts(
  stage: Stage,
  outage: number,
  { kills, tell }: Settings,
): Promise<Measured> {
  const { redis } = stage.installation;
  const millis: number[] = [];
  for (let i = 0; i < kills; i++) {
    await untilServed(stage);
    await redis.end('SIGKILL');
    // Varies the phase of the clients' reconnects.
    await pause(outage + 50 * (i % 10));
    const started = redis.start();
    await untilPong(redis.url);
    millis.push(await untilServed(stage));
    await started;
    tell?.(`Redis ${i + 1} back after ${outage} ms: ${Math.round(millis.at(-1) ?? 0)}`);
  }
  return {
    name: `Redis back after ${outage / 1000} s, until the first cut-out`,
    millis,
    targetMillis: 1000,
  };
}

async function acceptJobs({ world }: Stage, count: number): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      const customer = world.customers[left % world.customers.length];
      await customer?.client.jobs.create({ image: await freshPicture(left % 36) });
    }
  };
  await Promise.all(Array.from({ length: ACCEPTED_AT_ONCE }, worker));
}

/** Deletes waiting jobs from Redis and rebuilds them. */
async function flushedJobs(stage: Stage, { jobs, tell }: Settings): Promise<Measured> {
  const { installation } = stage;
  await Promise.all(installation.workers.map(({ end }) => end('SIGTERM')));
  await acceptJobs(stage, jobs);
  tell?.(`${jobs} jobs accepted`);
  await inRedis(installation, (redis) => restoringKeys(redis, () => redis.flushall()));
  const startedAt = performance.now();
  const said = await recover(installation);
  const millis = [performance.now() - startedAt];
  tell?.(`recovered: ${said}`);
  const { rebuilt } = JSON.parse(said).jobs;
  if (rebuilt !== jobs) throw new Error(`${rebuilt} of ${jobs} jobs were rebuilt`);
  return {
    name: `Redis emptied, until recover has rebuilt ${jobs} jobs`,
    millis,
    targetMillis: 60_000,
  };
}

/** Measures how soon work continues after a crash, a restart or a loss. */
export const measureTimes = (settings: Settings): Promise<Measured[]> =>
  onStage(settings, async (stage) => [
    await workerKills(stage, settings),
    await childKills(stage, settings),
    await redisRestarts(stage, OUTAGES_MILLIS[0], settings),
    await redisRestarts(stage, OUTAGES_MILLIS[1], settings),
    await flushedJobs(stage, settings),
  ]);

/** Returns a quantile. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function timesTable(measured: readonly Measured[]): string {
  const rows = measured.map(({ name, millis, targetMillis }) => {
    const [p50, p95, most] = [0.5, 0.95, 1].map((share) => Math.round(quantile(millis, share)));
    return `| ${name} | ${millis.length} | ${p50} | ${p95} | ${most} | ${targetMillis} |`;
  });
  return [
    '| ms | times | p50 | p95 | longest | target p95 |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
