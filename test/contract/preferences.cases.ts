import { describe, expect, test } from 'vitest';
import { ClientRetention } from '../../src/auth/client-retention.ts';
import { createLog } from '../../src/platform/log.ts';
import { blockingConnection } from '../../src/platform/redis.ts';
import { formWith, keyClient, postImage, reportedQuota, type Sent } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { whileFrozen } from '../support/inference.ts';
import { readJob } from '../support/intake.ts';
import type { useStack } from '../support/use-stack.ts';

const shirt = await drawnShirt({ width: 300, height: 360, format: 'jpeg' });

/** What clients prefer, of a key with a quota of some hundreds and a service that waits for 20 s. */
export function preferenceCases({
  stack,
  key,
  intake,
  postJson,
}: Awaited<ReturnType<typeof useStack>>): void {
  const remove = (headers: Record<string, string>, sent: Sent = {}, image = shirt) =>
    postImage(stack, image, { key, ...sent, headers });

  async function classify(
    headers: Record<string, string>,
    fields: Record<string, string> = {},
    sentKey = key,
  ): Promise<Response> {
    const body = formWith({ image: shirt, ...fields });
    return keyClient(stack, sentKey).ask('POST', '/taxonomy/v1/taxonomy', { body, headers });
  }

  const applied = (response: Response) => response.headers.get('preference-applied');

  describe('a removal with an Idempotency-Key', () => {
    test('makes one job however often it is sent, and costs one unit', async () => {
      const before = await intake.quotaLeft();
      const headers = { prefer: 'respond-async', 'idempotency-key': 'one' };
      const ids = await whileFrozen(stack, async () => {
        const { id } = await readJob(await remove(headers));
        const again = await remove(headers);
        expect([again.status, applied(again)]).toEqual([202, 'respond-async']);
        expect(reportedQuota(again)).toBe(before - 1);
        const atOnce = await Promise.all([remove(headers), remove(headers)]);
        const jobs = await Promise.all([again, ...atOnce].map(readJob));
        return [id, ...jobs.map((job) => job.id)];
      });
      expect(new Set(ids).size).toBe(1);
      expect(await intake.quotaLeft()).toBe(before - 1);
    });

    test('gets the image of that job, also for all that wait for it at once', async () => {
      const headers = { prefer: 'wait=20', 'idempotency-key': 'two' };
      const job = await whileFrozen(stack, async () =>
        readJob(await remove({ ...headers, prefer: 'respond-async' })),
      );
      const before = await intake.quotaLeft();
      const answers = await Promise.all([remove(headers), remove(headers)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const [first, second] = await Promise.all(answers.map((answer) => answer.arrayBuffer()));
      expect(Buffer.from(first!).equals(Buffer.from(second!))).toBe(true);
      const expected = { status: 'succeeded', results: { cutout: { bytes: first!.byteLength } } };
      expect(await intake.get(job.id)).toMatchObject(expected);
      expect(await intake.quotaLeft()).toBe(before);
    });
  });

  describe('a classification whose client prefers', () => {
    test('an immediate response gets a job with its attributes and options', async () => {
      const fields = {
        attributes: '{"id":"sku-1","title":"Wollpullover","material":"100% Wolle"}',
        options: '{"locale":"de","topK":1}',
      };
      const response = await whileFrozen(stack, () =>
        classify({ prefer: 'respond-async', 'idempotency-key': 'c' }, fields),
      );
      expect([response.status, applied(response)]).toEqual([202, 'respond-async']);
      const job = await readJob(response);
      expect(response.headers.get('location')).toBe(job.links.self);
      const done = await intake.until(job.id, 'succeeded');
      const atOnce = await (await classify({}, fields)).json();
      const { requestId: _, ...expected } = atOnce as Record<string, unknown>;
      expect(done.results).toEqual({ classification: expected });
      const again = await readJob(await intake.ask('GET', `/jobs/${job.id}`));
      expect(again.id).toBe(job.id);
    });

    test('to wait gets the classification if it is ready by then', async () => {
      const response = await classify({ prefer: 'wait=100' });
      expect([response.status, applied(response)]).toEqual([200, 'wait=20']); // not longer than allowed
      expect(await response.json()).toMatchObject({
        requestId: response.headers.get('x-request-id'),
        category: { region: 'top' },
      });
    });

    test('a job but sends too much to store gets the classification', async () => {
      const attributes = JSON.stringify({ title: 'Shirt', notes: 'x'.repeat(20_000) });
      const response = await classify({ prefer: 'respond-async' }, { attributes });
      expect([response.status, applied(response)]).toEqual([200, null]);
      await response.arrayBuffer();
    });
  });

  describe('a preference that cannot be met', () => {
    test('is ignored for a key that may store nothing', async () => {
      const redis = blockingConnection(stack.redis.url, createLog('test', 'silent'));
      await new ClientRetention(redis).set('keepers-of-nothing', { store: 'none' });
      redis.disconnect();
      const { key: none } = await stack.key({ client: 'keepers-of-nothing' });
      const removed = await remove({ prefer: 'respond-async, wait=5' }, { key: none });
      expect([removed.status, removed.headers.get('content-type'), applied(removed)]).toEqual([
        200,
        'image/png',
        null,
      ]);
      await removed.arrayBuffer();
      const classified = await classify({ prefer: 'respond-async' }, {}, none);
      expect([classified.status, applied(classified)]).toEqual([200, null]);
      await classified.arrayBuffer();
    });

    test('is ignored where nothing is processed later', async () => {
      const items = [{ attributes: { title: 'Socks' } }];
      const headers = { prefer: 'respond-async, return=minimal' };
      const response = await postJson('/taxonomy/v1/taxonomy', { items }, headers);
      expect([response.status, applied(response)]).toEqual([200, null]);
      await response.arrayBuffer();
    });
  });

  describe('the RateLimit headers of a failed request', () => {
    test.each([
      ['an image that is none', () => remove({}, {}, Buffer.from('no image')), 415],
      ['an image that cannot be decoded', () => remove({}, {}, shirt.subarray(0, 3000)), 400],
      ['no fields', () => classify({}, { attributes: '[]' }), 400],
    ])('with %s count its refund', async (_, send, status) => {
      const before = await intake.quotaLeft();
      const response = await send();
      expect(response.status).toBe(status);
      expect(reportedQuota(response)).toBe(before);
      await response.arrayBuffer();
      expect(await intake.quotaLeft()).toBe(before);
    });

    test('do not promise units that are used up', async () => {
      const { key: poor } = await stack.key({ client: 'poor', quotaPerDay: 1 });
      const success = await remove({}, { key: poor });
      expect([success.status, reportedQuota(success)]).toEqual([200, 0]);
      await success.arrayBuffer();
      const over = await remove({}, { key: poor });
      expect([over.status, reportedQuota(over)]).toEqual([429, 0]);
      await over.arrayBuffer();
    });
  });

  test('a job carries Retry-After until it ends', async () => {
    // A cut-out of the shirt is stored, which would end the job at once.
    const image = await drawnShirt({ width: 302, height: 360, format: 'jpeg' });
    const id = await whileFrozen(stack, async () => {
      const { id } = await readJob(await intake.post(image));
      const pending = await intake.ask('GET', `/jobs/${id}`);
      expect(Number(pending.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      await pending.arrayBuffer();
      return id;
    });
    await intake.until(id, 'succeeded');
    const done = await intake.ask('GET', `/jobs/${id}`);
    expect(done.headers.get('retry-after')).toBeNull();
    await done.arrayBuffer();
  });
}
