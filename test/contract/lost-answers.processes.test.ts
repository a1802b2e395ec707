import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startGate } from '../faults/gate.ts';
import { readBatch } from '../support/batches.ts';
import { startFeedServer } from '../support/feed-server.ts';
import { drawnShirt } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { startRedis } from '../support/redis-server.ts';
import { useStack } from '../support/use-stack.ts';

/** Redis goes away in the middle of an acceptance: what is known to have been written, and what not. */

const redis = await startRedis();
const gate = await startGate(redis.port);
afterAll(async () => {
  await gate.close();
  await redis.stop();
});
const { stack, intake, batches, feeds } = await useStack({
  REDIS_URL: `redis://127.0.0.1:${gate.port}`,
  FETCH_ALLOW: '127.0.0.0/8',
});

/** Sends a request; Redis goes away before it gets what matches, and comes back when the request was refused. */
async function refusedAt(pattern: RegExp, send: () => Promise<Response>): Promise<void> {
  gate.meet('request', pattern, () => gate.shut());
  const refused = await send();
  expect([refused.status, await refused.json()]).toMatchObject([503, {}]);
  gate.open();
}

/** Sends a request again until it is accepted. */
async function accepted(send: () => Promise<Response>): Promise<Response> {
  let response: Response | undefined;
  await expect
    .poll(async () => {
      response = await send();
      if (!response.ok) await response.body?.cancel();
      return response.ok;
    })
    .toBe(true);
  return response!;
}

test('a job whose record may exist keeps its image, and is done when it is sent again', async () => {
  const image = await drawnShirt({ width: 240, height: 300, format: 'jpeg' });
  const send = () => intake.post(image, {}, { 'idempotency-key': 'job' });
  await refusedAt(/run-job/, send);
  const { id } = await readJob(await accepted(send));
  await intake.until(id, 'succeeded');
});

test('a batch whose record may exist keeps its manifest', async () => {
  const send = () => batches.create({}, { 'idempotency-key': 'batch' });
  await refusedAt(/batches-of/, send);
  const { id } = await readBatch(await accepted(send));
  expect(await stack.stored(id)).toEqual([expect.stringContaining('batch.json')]);
});

test('an uploaded feed whose run may exist is kept, and imported', async () => {
  const shop = await startFeedServer();
  const body = `id,title,image_link\n1,Shirt,${await shop.putImage('/1.jpg', 1)}\n`;
  await refusedAt(/ingest-feed/, () => feeds.send('/feeds', body));
  const Page = z.object({
    feeds: z.array(z.object({ id: z.string(), runs: z.array(z.string()) })),
  });
  const list = await accepted(() => feeds.ask('GET', '/feeds'));
  const [feed] = Page.parse(await list.json()).feeds;
  const again = await feeds.send(`/feeds/${feed?.id}/runs`, body);
  expect(again.status).toBe(409); // it is under way
  const run = { feedId: feed?.id ?? '', id: feed?.runs[0] ?? '' };
  expect((await feeds.until(run, 'completed')).counts).toMatchObject({ succeeded: 1 });
  await shop.close();
});
