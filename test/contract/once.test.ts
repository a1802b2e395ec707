import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/client.ts';
import { formOf, postImage } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { whileFrozen } from '../support/inference.ts';
import { intakeClient, readJob } from '../support/intake.ts';
import { type Stack, startStack, untilServed } from '../support/stack.ts';

/** Requests with an Idempotency-Key, when responses are lost and gateways die. */

let stack: Stack;
let key: string;
let shirt: Buffer;
beforeAll(async () => {
  stack = await startStack({ SYNC_TIMEOUT_SECONDS: '20' });
  key = (await stack.key({ quotaPerDay: 1000 })).key;
  shirt = await drawnShirt({ width: 300, height: 360, format: 'jpeg' });
});
afterAll(() => stack.stop());

/** Returns a picture that no other test has sent. */
let drawn = 0;
function another(): Promise<Buffer> {
  drawn += 1;
  return sharp(shirt).extend({ right: drawn, background: '#fff' }).jpeg().toBuffer();
}

const remove = (idempotencyKey: string, image = shirt, signal?: AbortSignal) =>
  postImage(stack, image, {
    key,
    headers: { 'idempotency-key': idempotencyKey },
    ...(signal && { signal }),
  });

const Usage = z.object({ quota: z.object({ remaining: z.number() }) });
async function quotaLeft(): Promise<number> {
  const response = await intakeClient(stack, key).ask('GET', '/usage');
  return Usage.parse(await response.json()).quota.remaining;
}

const isReplay = ({ headers }: Response) => headers.get('idempotency-replayed');

test('a removal that is repeated has the same image, and is charged once', async () => {
  const before = await quotaLeft();
  const first = await remove('sync-1');
  const again = await remove('"sync-1"');
  expect([first.status, isReplay(first)]).toEqual([200, null]);
  expect([again.status, isReplay(again)]).toEqual([200, 'true']);
  const [one, two] = await Promise.all([first, again].map((each) => each.arrayBuffer()));
  expect(Buffer.from(one!).equals(Buffer.from(two!))).toBe(true);
  expect(await quotaLeft()).toBe(before - 1);
});

test('other content under the key is a mismatch, at every endpoint', async () => {
  await (await remove('sync-2')).arrayBuffer();
  const other = await remove('sync-2', await another());
  expect([other.status, await other.json()]).toMatchObject([422, { type: 'idempotency-mismatch' }]);
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'sync-2' };
  for (const path of ['/taxonomy/v1/taxonomy', '/taxonomy/v1/garments', '/intake/v1/jobs']) {
    const body = formOf(['image', shirt, 'a.jpg']);
    if (path.startsWith('/intake')) body.append('operations', 'remove-background');
    const response = await fetch(stack.url + path, { method: 'POST', headers, body });
    expect([path, response.status]).toEqual([path, 422]);
  }
});

test('two at once are worked on one after the other, and charged once', async () => {
  const before = await quotaLeft();
  const image = await another();
  const both = await Promise.all([remove('sync-3', image), remove('sync-3', image)]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(both.map(isReplay).sort()).toEqual(['true', null].sort());
  expect(await quotaLeft()).toBe(before - 1);
});

test('a client that leaves in the middle and comes back is charged once', async () => {
  const before = await quotaLeft();
  const image = await another();
  await whileFrozen(stack, async () => {
    const leaving = new AbortController();
    const first = remove('sync-4', image, leaving.signal);
    first.catch(() => {});
    await pause(1000); // the worker has taken the job
    leaving.abort();
    await expect(first).rejects.toThrow();
  });
  const again = await remove('sync-4', image);
  expect(again.status).toBe(200);
  await again.arrayBuffer();
  await expect.poll(quotaLeft).toBe(before - 1);
});

test('a request that failed may be sent again under its key', async () => {
  const response = await remove('sync-5', Buffer.from('no image'));
  expect(response.status).toBe(415);
  expect((await remove('sync-5')).status).toBe(200);
});

test('the client library is charged once however often its response is late', async () => {
  const before = await quotaLeft();
  const client = createClient({
    baseUrl: stack.url,
    key,
    attemptTimeoutMillis: 700,
    retry: { baseMillis: 50, maxAttempts: 100 }, // a busy machine needs many
  });
  const image = await another();
  const removing = client.removeBackground(image);
  removing.catch(() => {});
  await whileFrozen(stack, () => pause(1500));
  expect((await removing).image.length).toBeGreaterThan(100);
  await expect.poll(quotaLeft).toBe(before - 1);
});

test('a gateway that is killed while it accepts a job leaves one job, within 5 s', async () => {
  const intake = () => intakeClient(stack, key);
  const Page = z.object({ jobs: z.array(z.object({ id: z.string(), createdAt: z.string() })) });
  const count = async () =>
    Page.parse(await (await intake().ask('GET', '/jobs?limit=100')).json()).jobs.length;
  for (const delayMillis of [0, 5, 10, 20, 40]) {
    const before = await count();
    const image = await another();
    const send = () =>
      intake()
        .post(image, {}, { 'idempotency-key': `kill-${delayMillis}` })
        .catch(() => undefined);
    const first = send();
    await pause(delayMillis);
    await stack.gateway.end('SIGKILL');
    await first;
    await stack.startGateway();
    await untilServed(stack.url);
    const ids = new Set<string>();
    const answers: (number | undefined)[] = [];
    await expect
      .poll(
        async () => {
          const response = await send();
          answers.push(response?.status);
          if (response?.status === 202) ids.add((await readJob(response)).id);
          return ids.size;
        },
        { interval: 500, timeout: 20_000 },
      )
      .toBe(1);
    ids.add((await readJob((await send())!)).id);
    expect(ids.size).toBe(1);
    // Half a second each: what the dead gateway has locked is free within 5 s.
    expect(answers.length).toBeLessThanOrEqual(11);
    expect(await count()).toBe(before + 1);
    await intake().until([...ids][0]!, 'succeeded');
  }
});
