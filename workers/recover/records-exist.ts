import type { Redis } from 'ioredis';
import { INSTALLATION_ID_KEY } from '../../src/intake/installation-id.ts';

/**
 * Returns which keys exist in Redis, and the installation id that it has at the same moment. An undefined key does not
 * exist.
 */
export async function recordsExist(redis: Redis, keys: readonly (string | undefined)[]) {
  const known = keys.filter((key) => key !== undefined);
  const pipeline = redis.pipeline();
  for (const key of known) pipeline.exists(key);
  const replies = (await pipeline.get(INSTALLATION_ID_KEY).exec()) ?? [];
  const [failure] = replies.find(([error]) => error) ?? [];
  if (failure) throw failure;
  const existing = new Set(known.filter((_, i) => replies[i]?.[1] === 1));
  return {
    exist: keys.map((key) => key !== undefined && existing.has(key)),
    installationId: replies.at(-1)?.[1],
  };
}
