import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeys, type MadeKey } from '../../src/access/keys.ts';
import { SCOPES } from '../../src/access/scopes.ts';
import { commandConnection, untilReady } from '../../src/jobs/redis.ts';
import { createLog } from '../../src/log.ts';
import { readSecrets } from '../../src/secrets.ts';
import { freePort, type Running, runProgram } from '../support/processes.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { type Gate, startGate } from './gate.ts';

/** Seconds a synchronous request may take. */
export const DEADLINE_SECONDS = 10;

/** Two gateways, two workers, Redis behind a gate, and a store: what faults are played on. */
export interface Installation {
  redis: RedisServer;
  redisGate: Gate;
  home: string;
  gateways: Member[];
  workers: Member[];
  key(client: string): Promise<MadeKey>;
  /** All that every process has logged, those that are gone among them. */
  logs(): string;
  stop(): Promise<void>;
}

/** One process of the installation; another takes its place when it is gone. */
export interface Member {
  /** Of a gateway. */
  url: string;
  running: Running;
  /** Ends it, by a signal, and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Starts it (again) and waits until it serves. */
  start(): Promise<void>;
}

const says = (words: string) => (line: string) => line.includes(words);

interface Kind {
  file: string;
  ready: string;
  env: NodeJS.ProcessEnv;
}

async function createMember(kind: Kind, keepLogs: (text: string) => void): Promise<Member> {
  const member: Member = {
    url: '',
    running: undefined as unknown as Running,
    async end(signal) {
      await member.running.end(signal);
      keepLogs(member.running.output());
    },
    async start() {
      member.running = runProgram(kind.file, [], kind.env);
      const line = JSON.parse(await member.running.line(says(kind.ready)));
      member.url = line.url ?? '';
    },
  };
  await member.start();
  return member;
}

/** Starts everything. `settings` go to every process, over what is usual. */
export async function startInstallation(settings: NodeJS.ProcessEnv = {}): Promise<Installation> {
  const home = await mkdtemp(join(tmpdir(), 'selvage-faults-'));
  const redis = await startRedis();
  const redisGate = await startGate(redis.port);
  const connection = commandConnection(redis.url, createLog('test', 'silent'));
  await untilReady(connection, AbortSignal.timeout(10_000));
  const keys = createKeys(connection, readSecrets(home).keyPepper);
  const past: string[] = [];
  const env = {
    SELVAGE_HOME: home,
    REDIS_URL: `redis://127.0.0.1:${redisGate.port}`,
    SYNC_TIMEOUT_SECONDS: String(DEADLINE_SECONDS),
    WORKER_CONCURRENCY: '1',
    FETCH_ALLOW: '127.0.0.0/8',
    SELVAGE_DEV_KEY: '',
    LOG_LEVEL: 'debug',
    ...settings,
  };
  const member = async (file: string, ready: string, portName: string): Promise<Member> =>
    createMember({ file, ready, env: { ...env, [portName]: String(await freePort()) } }, (text) =>
      past.push(text),
    );
  const gateways = await Promise.all(
    [0, 1].map(() => member('src/main.ts', 'gateway ready', 'PORT')),
  );
  const workers = await Promise.all(
    [0, 1].map(() => member('workers/main.ts', 'worker ready', 'WORKER_PORT')),
  );
  const members = [...gateways, ...workers];
  return {
    ...{ redis, redisGate, home, gateways, workers },
    key: (client) =>
      keys.create({
        client,
        scopes: [...SCOPES],
        allowBase64: true,
        rate: { count: 10_000, periodSeconds: 1 },
        quotaPerDay: 1_000_000,
      }),
    logs: () => [...past, ...members.map(({ running }) => running.output())].join('\n'),
    async stop() {
      redisGate.open();
      await Promise.all(members.map(({ end }) => end('SIGTERM')));
      connection.disconnect();
      await redisGate.close();
      await redis.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Process ids of the inference children of a worker. */
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
