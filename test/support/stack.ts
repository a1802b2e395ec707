import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Grant, isLive, SCOPES } from '../../src/auth/key-record.ts';
import { type CreatedKey, Keys } from '../../src/auth/keys.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { readConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { connectRedis } from '../../src/platform/redis-check.ts';
import { readSecrets } from '../../src/platform/secrets.ts';
import { type Running, runProgram } from './processes.ts';
import { type RedisServer, startRedis } from './redis-server.ts';
import { createStore, type StorePlace, storedKeys, storeKind } from './test-store.ts';

/** A complete installation for tests: its own Redis, storage, gateway and worker, on free ports. */
export interface Stack extends StorePlace {
  url: string;
  redis: RedisServer;
  gateway: Running;
  worker: Running;
  /**
   * Creates a key, by default with every scope and ample limits. A client has two live keys at most: the latest
   * one but the first is revoked to make room.
   */
  key(grant?: Partial<Grant>): Promise<CreatedKey>;
  /** Returns the keys of what is stored that contain each of the words; in a bucket also what only a version still has. */
  stored(...words: string[]): Promise<string[]>;
  /** Everything gateway and worker logged. */
  logs(): string;
  startGateway(env?: NodeJS.ProcessEnv): Promise<void>;
  startWorker(env?: NodeJS.ProcessEnv): Promise<void>;
  stop(): Promise<void>;
}

const AMPLE: Grant = {
  client: 'tests',
  scopes: [...SCOPES],
  allowBase64: true,
  rate: { count: 10_000, periodSeconds: 1 },
  quotaPerDay: 1_000_000,
  maxFeeds: 100_000,
};

const says = (words: string) => (line: string) => line.includes(words);

/** Opens the register of keys of an installation. */
export async function openRegister(
  redisUrl: string,
  home: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Pick<Stack, 'key'> & { close(): void }> {
  const settings = readConfig({ REDIS_URL: redisUrl, ...env });
  const connection = await connectRedis(settings, createLog('test', 'silent'), 10_000);
  const keys = new Keys(connection, readSecrets(home).keyPepper, hostClock);
  async function makeRoom(client: string): Promise<void> {
    const records = (await keys.list()).filter((record) => record.client === client);
    const live = records.filter((record) => isLive(record, hostClock()));
    const [, second] = live;
    if (second) await keys.revoke(second.id);
  }
  return {
    async key(grant = {}) {
      const whole = { ...AMPLE, ...grant };
      await makeRoom(whole.client);
      return keys.create(whole);
    },
    close: () => connection.disconnect(),
  };
}

/**
 * Starts everything and waits until requests are served. Both processes get `env`, which may lead to another Redis.
 * @param kind that of the Vitest project, by default
 * @param hasWorker whether there is a worker; without one nothing is served yet
 */
export async function startStack(
  env: NodeJS.ProcessEnv = {},
  kind = storeKind(),
  hasWorker = true,
): Promise<Stack> {
  const home = await mkdtemp(join(tmpdir(), 'selvage-test-'));
  const { settings, remove } = await createStore(kind);
  const redis = await startRedis();
  const register = await openRegister(redis.url, home, env);
  const base = {
    SELVAGE_HOME: home,
    REDIS_URL: redis.url,
    PORT: '0',
    WORKER_PORT: '0',
    WORKER_CONCURRENCY: '1',
    SELVAGE_DEV_KEY: '',
    LOG_LEVEL: 'debug',
    ...settings,
    ...env,
  };
  const stack: Stack = {
    url: '',
    home,
    settings,
    redis,
    gateway: undefined as unknown as Running,
    worker: undefined as unknown as Running,
    key: register.key,
    stored: (...words) => storedKeys(stack, ...words),
    logs: () => `${stack.gateway.output()}\n${stack.worker.output()}`,
    async startGateway(more = {}) {
      stack.gateway = runProgram('src/main.ts', [], { ...base, ...more });
      stack.url = JSON.parse(await stack.gateway.line(says('gateway ready'))).url;
    },
    async startWorker(more = {}) {
      stack.worker = runProgram('workers/main.ts', [], { ...base, ...more });
      await stack.worker.line(says('worker ready'));
    },
    async stop() {
      await Promise.all([stack.gateway.end(), stack.worker?.end()]);
      register.close();
      await redis.stop();
      await remove();
      await rm(home, { recursive: true, force: true });
    },
  };
  await Promise.all([stack.startGateway(), hasWorker && stack.startWorker()]);
  if (hasWorker) await untilServed(stack.url);
  return stack;
}

const READY_POLL_MILLIS = 20;

/** Polls until the gateway is ready. */
export async function untilServed(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/readyz`);
    await response.body?.cancel();
    if (response.ok) return;
    await pause(READY_POLL_MILLIS);
  }
}
