import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCOPES } from '../../src/auth/key-record.ts';
import { type CreatedKey, Keys } from '../../src/auth/keys.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import { readSecrets } from '../../src/platform/secrets.ts';
import { freePort } from '../support/free-port.ts';
import { type Running, run } from '../support/processes.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { ROOT } from '../support/root.ts';
import { type Gate, startGate } from './gate.ts';
import { makeStore, type Store, type StoreKind } from './stores.ts';

/** The time limit of a synchronous request, seconds. */
export const DEADLINE_SECONDS = 10;

/** Gateways, workers, Redis behind a gate, and storage, into which faults are injected. */
export interface Installation {
  /** The primary. */
  redis: RedisServer;
  /** Its replica, started by the first fault that promotes one. */
  replica?: RedisServer;
  redisGate: Gate;
  store: Store;
  home: string;
  gateways: Member[];
  workers: Member[];
  /** The register of keys. */
  keys: Keys;
  /** Creates a key with every scope and ample limits. */
  key(client: string): Promise<CreatedKey>;
  /** Everything that processes logged, including those that have ended. */
  logs(): string;
  stop(): Promise<void>;
}

/** How a process is started, in addition to the settings of all processes of its kind. */
export interface Launch {
  /** A command that wraps it. */
  within: readonly string[];
  /** The folder of its release. */
  release: string;
  env: NodeJS.ProcessEnv;
}

/** One process of the installation; when it ends, another replaces it. */
export interface Member {
  /** Its name in the storage gate. */
  name: string;
  /** Where it listens; a worker serves its health there. */
  url: string;
  running: Running;
  /** How it starts next time; changed by faults of hosts, clocks and releases. */
  launch: Launch;
  /** Ends it with a signal and waits for its exit. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Starts or restarts it, and waits until it is ready. */
  start(): Promise<void>;
}

const says = (words: string) => (line: string) => line.includes(words);

interface Kind {
  name: string;
  file: string;
  ready: string;
  env: NodeJS.ProcessEnv;
  port: number;
  release: string;
}

/** How large an installation is. */
export interface Size {
  /** Gateways, and workers. */
  each: number;
  /** The folder of the release that all of them run. */
  release: string;
}

async function createMember(kind: Kind, keepLogs: (text: string) => void): Promise<Member> {
  const member: Member = {
    name: kind.name,
    url: '',
    running: undefined as unknown as Running,
    launch: { within: [], release: kind.release, env: {} },
    async end(signal) {
      await member.running.end(signal);
      keepLogs(member.running.output());
    },
    async start() {
      const { within, release, env } = member.launch;
      const program = join(release, 'dist', kind.file.replace(/ts$/, 'js'));
      const [command = '', ...args] = [...within, process.execPath, program];
      member.running = run(command, args, { ...kind.env, ...env });
      const line = JSON.parse(await member.running.line(says(kind.ready)));
      member.url = line.url ?? `http://127.0.0.1:${kind.port}`;
    },
  };
  await member.start();
  return member;
}

/** Starts everything. `settings` override the defaults of every process. */
export async function startInstallation(
  settings: NodeJS.ProcessEnv = {},
  storeKind: StoreKind = 'fs',
  { each, release }: Size = { each: 2, release: ROOT },
): Promise<Installation> {
  const home = await mkdtemp(join(tmpdir(), 'selvage-faults-'));
  const redis = await startRedis();
  const redisGate = await startGate(redis.port);
  const store = await makeStore(storeKind, home);
  const redisUrl = `redis://127.0.0.1:${redisGate.port}`;
  const connection = commandConnection(redisUrl, createLog('test', 'silent'));
  await untilReady(connection, AbortSignal.timeout(10_000));
  const keys = new Keys(connection, readSecrets(home).keyPepper, hostClock);
  const past: string[] = [];
  const env = {
    SELVAGE_HOME: home,
    REDIS_URL: redisUrl,
    SYNC_TIMEOUT_SECONDS: String(DEADLINE_SECONDS),
    WORKER_CONCURRENCY: '1',
    FETCH_ALLOW: '127.0.0.0/8',
    SELVAGE_DEV_KEY: '',
    LOG_LEVEL: 'debug',
    ...store.settings,
    ...settings,
  };
  const member = async (name: string, file: string, ready: string, portName: string) => {
    const port = await freePort();
    const own = { [portName]: String(port), AWS_SDK_UA_APP_ID: name };
    const kind = { name, file, ready, env: { ...env, ...own }, port, release };
    return createMember(kind, (text) => past.push(text));
  };
  const numbers = Array.from({ length: each }, (_, i) => i);
  const gateways = await Promise.all(
    numbers.map((i) => member(`gateway-${i}`, 'src/main.ts', 'gateway ready', 'PORT')),
  );
  const workers = await Promise.all(
    numbers.map((i) => member(`worker-${i}`, 'workers/main.ts', 'worker ready', 'WORKER_PORT')),
  );
  const members = [...gateways, ...workers];
  const installation: Installation = {
    redis,
    redisGate,
    store,
    home,
    gateways,
    workers,
    keys,
    key: (client) =>
      keys.create({
        client,
        scopes: [...SCOPES],
        allowBase64: true,
        rate: { count: 10_000, periodSeconds: 1 },
        quotaPerDay: 1_000_000,
        maxFeeds: 100_000,
      }),
    logs: () => [...past, ...members.map(({ running }) => running.output())].join('\n'),
    async stop() {
      redisGate.open();
      await Promise.all(members.map(({ end }) => end('SIGTERM')));
      connection.disconnect();
      await redisGate.close();
      await Promise.all([installation.redis.stop(), installation.replica?.stop()]);
      await store.close();
      await rm(home, { recursive: true, force: true });
    },
  };
  return installation;
}

/** Process ids of a worker's inference children. */
export async function childrenOf(worker: Member): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return {
        pid: Number(pid),
        parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]),
      };
    }),
  );
  return parents.filter(({ parent }) => parent === worker.running.pid).map(({ pid }) => pid);
}
