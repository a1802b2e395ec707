import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { type Running, run } from './processes.ts';
import { untilFollowing } from './promote.ts';
import { type RedisServer, redisProgram, startRedis } from './redis-server.ts';

/** A Redis of several servers, or with TLS. */
export interface RedisForm {
  /** The settings that lead to it. */
  settings: Record<string, string>;
  /** Kills the primary; another server takes over by itself. */
  killPrimary(): Promise<void>;
  stop(): Promise<void>;
}

const SENTINEL_NAME = 'garments';
const SENTINEL_PASSWORD = 'sentinel-password';
const PASSWORD = 'redis-password';
const DOWN_MILLIS = '1500';

/** Starts a Sentinel that watches a primary; alone it may decide. */
async function startSentinel(primaryPort: number, port: number): Promise<Running> {
  const dir = await mkdtemp(join(tmpdir(), 'selvage-sentinel-'));
  const conf = join(dir, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `requirepass ${SENTINEL_PASSWORD}`,
    `sentinel monitor ${SENTINEL_NAME} 127.0.0.1 ${primaryPort} 1`,
    `sentinel auth-pass ${SENTINEL_NAME} ${PASSWORD}`,
    `sentinel down-after-milliseconds ${SENTINEL_NAME} ${DOWN_MILLIS}`,
    `sentinel failover-timeout ${SENTINEL_NAME} 10000`,
  ];
  await writeFile(conf, `${lines.join('\n')}\n`);
  const sentinel = run(redisProgram(), [conf, '--sentinel']);
  await sentinel.line((line) => line.includes('+slave')); // it knows whom to promote
  sentinel.exited.then(() => rm(dir, { recursive: true, force: true }));
  return sentinel;
}

/** Starts a primary, its replica and a Sentinel; the list of Sentinels begins with one that is not there. */
export async function startSentinels(): Promise<RedisForm> {
  const access = ['--requirepass', PASSWORD, '--masterauth', PASSWORD];
  const primary = await startRedis(...access);
  const replica = await startRedis(...access, '--replicaof', '127.0.0.1', String(primary.port));
  await untilFollowing(replica);
  const port = await freePort();
  const sentinel = await startSentinel(primary.port, port);
  return {
    settings: {
      REDIS_URL: `redis://:${PASSWORD}@the-host-is-not-used`,
      REDIS_SENTINELS: `127.0.0.1:${await freePort()},127.0.0.1:${port}`,
      REDIS_SENTINEL_NAME: SENTINEL_NAME,
      REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD,
    },
    killPrimary: () => primary.end('SIGKILL'),
    async stop() {
      await sentinel.end();
      await Promise.all([primary.stop(), replica.stop()]);
    },
  };
}

const MASTERS = 3;
const SLOTS = 16_384;

/** Starts a cluster of three, and a replica of each. */
export async function startCluster(): Promise<RedisForm> {
  const access = ['--requirepass', PASSWORD, '--masterauth', PASSWORD];
  // A replica that has not heard of its primary for some seconds, on a busy machine, takes its place all the same.
  const always = ['--cluster-replica-validity-factor', '0'];
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', DOWN_MILLIS, ...always];
  const node = () => startRedis(...access, ...settings);
  const nodes = await Promise.all(Array.from({ length: 2 * MASTERS }, node));
  const masters = nodes.slice(0, MASTERS);
  for (const [i, { command }] of masters.entries()) {
    const [from, to] = [i, i + 1].map((n) => Math.floor((n * SLOTS) / MASTERS));
    await command('cluster', 'addslotsrange', String(from), String(Number(to) - 1));
    await command('cluster', 'set-config-epoch', String(i + 1));
  }
  const [first, ...others] = nodes;
  for (const { command } of others)
    await command('cluster', 'meet', '127.0.0.1', String(first?.port));
  await Promise.all(masters.map(untilOk));
  for (const [i, replica] of nodes.slice(MASTERS).entries()) {
    await untilOk(replica);
    const id = String(await masters[i]?.command('cluster', 'myid'));
    while ((await replica.command('cluster', 'replicate', id).catch(() => '')) !== 'OK')
      await pause(50);
    await untilFollowing(replica);
  }
  return {
    settings: {
      REDIS_URL: `redis://:${PASSWORD}@the-host-is-not-used`,
      REDIS_CLUSTER: nodes.map(({ port }) => `127.0.0.1:${port}`).join(','),
    },
    async killPrimary() {
      const slot = Number(await first?.command('cluster', 'keyslot', '{selvage}'));
      await masters[Math.floor((slot * MASTERS) / SLOTS)]?.end('SIGKILL');
    },
    async stop() {
      await Promise.all(nodes.map(({ stop }) => stop()));
    },
  };
}

async function untilOk({ command }: RedisServer): Promise<void> {
  while (!String(await command('cluster', 'info')).includes('cluster_state:ok')) await pause(50);
}

/** Starts a Redis that speaks TLS alone, with a certificate of its own authority. */
export async function startTls(): Promise<RedisForm> {
  const dir = await mkdtemp(join(tmpdir(), 'selvage-tls-'));
  const file = (name: string) => join(dir, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe', cwd: dir });
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=Own authority',
  );
  openssl(
    ...['req', '-x509', ...key, '-keyout', 'redis.key', '-out', 'redis.pem', '-subj', '/CN=redis'],
    ...['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', 'subjectAltName=DNS:localhost'],
    ...['-addext', 'basicConstraints=critical,CA:FALSE'],
  );
  const port = await freePort();
  const redis = await startRedis(
    ...['--tls-port', String(port), '--tls-cert-file', file('redis.pem')],
    ...['--tls-key-file', file('redis.key'), '--tls-ca-cert-file', file('ca.pem')],
    ...['--tls-auth-clients', 'no', '--requirepass', PASSWORD],
  );
  return {
    settings: {
      REDIS_URL: `rediss://:${PASSWORD}@localhost:${port}`,
      REDIS_CA_FILE: file('ca.pem'),
    },
    async killPrimary() {
      await redis.end('SIGKILL');
      await redis.start();
    },
    async stop() {
      await redis.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
