import { afterAll, describe, expect, test } from 'vitest';
import { mintKey } from '../../src/auth/key-record.ts';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection } from '../../src/platform/redis.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { openKeyRegister } from '../console/key-register.ts';
import { batchClient } from '../support/batches.ts';
import { keyClient } from '../support/client.ts';
import { badResponses } from '../support/feed-server.ts';
import { useShop, useStack } from '../support/use-stack.ts';

const DEVELOPMENT_KEY = mintKey();

const { stack } = await useStack({ SELVAGE_DEV_KEY: DEVELOPMENT_KEY, FETCH_ALLOW: '127.0.0.0/8' });
const shop = await useShop();
const register = await openKeyRegister(stack);
afterAll(() => register.redis.disconnect());

const ask = (path: string, key: string, init: RequestInit = {}) =>
  keyClient(stack, key).ask(init.method ?? 'GET', `/intake/v1${path}`, init);

/** Opens a batch of the key's client, which stays open. */
const openBatch = (key: string): Promise<string> => batchClient(stack, key).open();

/** Creates as many keys as a client may have. */
const twoKeys = async (client: string) =>
  [await stack.key({ client }), await stack.key({ client })] as const;

/** Reads a response, and returns its text so far and whether it has ended. */
function follow(response: Response) {
  const state = { text: '', hasEnded: false };
  (async () => {
    for await (const chunk of response.body ?? []) state.text += Buffer.from(chunk).toString();
  })().finally(() => {
    state.hasEnded = true;
  });
  return state;
}

describe('revoking a key', () => {
  test('ends its event streams, and those of no other key', async () => {
    const [revoked, live] = await twoKeys('streams');
    const id = await openBatch(live.key);
    const [ended, going] = await Promise.all(
      [revoked, live].map(async ({ key }) => follow(await ask(`/batches/${id}/events`, key))),
    );
    await expect.poll(() => [ended?.text, going?.text].join()).toMatch(/progress.*progress/s);
    await register.keys.revoke(revoked.record.id);
    await expect.poll(() => ended?.hasEnded, { timeout: 50_000 }).toBe(true);
    expect(ended?.text).not.toContain('event: completed');
    expect(going?.hasEnded).toBe(false);
    expect((await ask(`/batches/${id}/events`, revoked.key)).status).toBe(401);

    // The other stream goes on to the batch's own end.
    expect((await ask(`/batches/${id}/cancel`, live.key, { method: 'POST' })).status).toBe(200);
    await expect.poll(() => going?.hasEnded).toBe(true);
    expect(going?.text).toContain('event: completed');
  });

  test('ends its uploads in progress, and the rows that arrived are stored', async () => {
    const [{ key, record }, other] = await twoKeys('uploads');
    const id = await openBatch(key);
    let isSending = true;
    const FIRST = 5000; // rows that fill the buffers, so that some are stored while more arrive
    const line = (row: number) =>
      `{"customId":"row-${row}","imageUrl":"https://shop.example/a.jpg"}\n`;
    async function* rows() {
      yield Buffer.from(Array.from({ length: FIRST }, (_, row) => line(row)).join(''));
      for (let row = FIRST; isSending; row++) {
        yield Buffer.from(line(row));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    const uploaded = ask(`/batches/${id}/items`, key, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: rows(),
      duplex: 'half',
    });
    const accepted = async () => {
      const batch = await (await ask(`/batches/${id}`, other.key)).json();
      return (batch as { counts: { accepted: number } }).counts.accepted;
    };
    await expect.poll(accepted).toBeGreaterThanOrEqual(FIRST);
    await register.keys.revoke(record.id);
    const response = await uploaded;
    isSending = false;
    expect(response.status).toBe(401);
    const problem = (await response.json()) as { type: string; accepted: number };
    expect(problem.type).toBe('unauthorized');
    expect(problem.accepted).toBeGreaterThan(FIRST);
    expect(await accepted()).toBe(problem.accepted);
  });
});

describe('a feed whose key is revoked', () => {
  test('says that its schedule is paused, until a run by another key of the client', async () => {
    const [{ key, record }, other] = await twoKeys('schedules');
    const headers = { 'content-type': 'application/json' };
    const url = shop.put('/feed.csv', badResponses.notFound);
    const body = JSON.stringify({ url, schedule: '0 3 1 1 *' });
    const created = await ask('/feeds', key, { method: 'POST', headers, body });
    const { id } = (await created.json()) as { id: string };
    const show = async () => (await ask(`/feeds/${id}`, other.key)).json();
    await expect.poll(show).toMatchObject({ run: { status: 'failed' } });
    await register.keys.revoke(record.id);

    const log = createLog('test', 'silent');
    const connection = blockingConnection(stack.redis.url, log);
    const queue = openQueue('feed', connection, log);
    const [job] = (await queue.getDelayed()).filter(({ data }) => data.feedId === id);
    await job?.promote();
    await expect.poll(show).toMatchObject({
      schedulePaused: { since: expect.any(String), reason: expect.stringContaining('revoked') },
    });
    expect(await show()).toMatchObject({ runs: [expect.any(String)] });

    expect((await ask(`/feeds/${id}/runs`, other.key, { method: 'POST' })).status).toBe(202);
    const resumed = await show();
    expect(resumed).toMatchObject({ runs: [expect.any(String), expect.any(String)] });
    expect(resumed).not.toHaveProperty('schedulePaused');
    await queue.close();
    connection.disconnect();
  });
});

describe('the development key', () => {
  test('stays revoked when the gateway starts again, which warns', async () => {
    expect((await ask('/usage', DEVELOPMENT_KEY)).status).toBe(200);
    const [record] = (await register.keys.list()).filter(({ client }) => client === 'development');
    await register.keys.revoke(record?.id ?? '');
    await stack.gateway.end();
    await stack.startGateway();
    expect((await ask('/usage', DEVELOPMENT_KEY)).status).toBe(401);
    expect(stack.gateway.output()).toMatch(/development key is revoked.*keys -- mint/);
  });
});
