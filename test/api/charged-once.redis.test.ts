import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { chargedOnce } from '../../src/api/intake/idempotent.ts';
import type { Call, Reply } from '../../src/http/route.ts';
import { Idempotency } from '../../src/intake/idempotency.ts';
import { startGate } from '../faults/gate.ts';
import { startRedis } from '../support/redis-server.ts';

/** What an answer waits for. */

const call = {
  headers: { 'idempotency-key': 'a' },
  signal: new AbortController().signal,
  takeQuota: () => undefined,
} as unknown as Call;

test.each<[string, () => Promise<Reply>]>([
  ['a success', async () => ({ status: 200 })],
  ['a failure', () => Promise.reject(new Error('too late'))],
])('%s is answered though Redis says nothing more', async (_name, end) => {
  const server = await startRedis();
  const gate = await startGate(server.port);
  // Without a time limit: what waits for Redis waits for ever.
  const redis = new Redis(gate.port);
  redis.on('error', () => {});
  const answered = chargedOnce(
    new Idempotency(redis),
    call,
    () => 'content',
    async () => {
      gate.hold();
      return end();
    },
  );
  await answered.catch((error) => expect(error.message).toBe('too late'));
  gate.open();
  redis.disconnect();
  await gate.close();
  await server.stop();
});
