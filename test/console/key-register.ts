import { Keys } from '../../src/auth/keys.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import { readSecrets } from '../../src/platform/secrets.ts';
import type { SharedStack } from '../support/shared-stack.ts';

/** The keys of a stack, as its operator manages them, and its Redis connection. */
export type KeyRegister = Awaited<ReturnType<typeof openKeyRegister>>;

export async function openKeyRegister({
  redis: { url },
  home,
}: Pick<SharedStack, 'redis' | 'home'>) {
  const redis = commandConnection(url, createLog('test', 'silent'));
  await untilReady(redis, AbortSignal.timeout(10_000));
  return { redis, keys: new Keys(redis, readSecrets(home).keyPepper, hostClock) };
}
