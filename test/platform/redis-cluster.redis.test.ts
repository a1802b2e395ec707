import { once } from 'node:events';
import type { Cluster, Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { readIdentity } from '../../src/intake/recovery-state.ts';
import { readConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import { startCluster } from '../support/redis-forms.ts';
import { startRedis } from '../support/redis-server.ts';

const log = createLog('test', 'silent');

function open(settings: NodeJS.ProcessEnv): Redis {
  const redis = commandConnection(readConfig(settings), log);
  onTestFinished(() => redis.disconnect());
  return redis;
}

test('a cluster is the same one whichever of its servers would answer', async () => {
  const { settings, stop } = await startCluster();
  onTestFinished(stop);
  const redis = open(settings);
  await untilReady(redis, AbortSignal.timeout(30_000));
  const seen = new Set<string>();
  for (let i = 0; i < 30; i++) seen.add(await readIdentity(redis));
  expect([...seen]).toEqual([expect.stringMatching(/^\w{40} \w{40}$/)]);
});

test('connecting ends when a cluster is ready that was not at first', async () => {
  const node = await startRedis(
    ...['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
  );
  onTestFinished(() => node.stop());
  await node.command('cluster', 'addslotsrange', '0', '16382');
  const settings = { REDIS_URL: 'redis://unused', REDIS_CLUSTER: `127.0.0.1:${node.port}` };
  const redis = (open(settings) as unknown as Cluster).duplicate([], { lazyConnect: true });
  onTestFinished(() => redis.disconnect());
  const failed = once(redis, 'reconnecting');
  const connecting = redis.connect();
  await failed;
  await node.command('cluster', 'addslots', '16383');
  await connecting;
  expect(redis.status).toBe('ready');
});
