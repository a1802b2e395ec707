import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createClient, SelvageError } from '../../packages/client/src/client.ts';
import { batchClient, uploadedRow } from '../support/batches.ts';
import { answerOf } from '../support/client.ts';
import { type Run, readFeed } from '../support/feed-client.ts';
import { drawnShirt } from '../support/images.ts';
import { useCatalogue } from '../support/use-stack.ts';

const { stack, shop, key, batches, feeds, sendJson } = await useCatalogue();
const clear = await drawnShirt({ width: 300, height: 360, format: 'jpeg' });
/** They need a review: their photos are blurred. */
const blurred = await Promise.all(
  [320, 340, 360].map(async (width) => {
    const sharpImage = await drawnShirt({ width, height: 360, format: 'png' });
    return sharp(sharpImage).blur(9).jpeg().toBuffer();
  }),
);

const Counts = z.object({
  needed: z.number(),
  approved: z.number(),
  rejected: z.number(),
  pending: z.number(),
});
const Row = z.looseObject({
  row: z.number(),
  customId: z.string(),
  confidence: z.number(),
  needed: z.boolean(),
  reasons: z.array(z.string()),
  decision: z.string(),
  revision: z.number(),
  source: z.string().optional(),
  cutout: z.object({ sha256: z.string(), url: z.string().optional() }),
});
const Page = z.object({
  review: Counts,
  rows: z.array(Row),
  links: z.object({ next: z.string() }).optional(),
});

const ask = (method: string, path: string, body?: object): Promise<Response> =>
  sendJson(method, `/intake/v1${path}`, body);
const read = async <T>(schema: z.ZodType<T>, path: string): Promise<T> => {
  const response = await ask('GET', path);
  const body = await response.json();
  expect([response.status, body]).toEqual([200, expect.anything()]);
  return schema.parse(body);
};
const page = (path: string, query = ''): Promise<z.infer<typeof Page>> =>
  read(Page, `${path}/review${query}`);

const decide = (path: string, row: number, body: object) =>
  answerOf(ask('POST', `${path}/review/${row}`, body));

/** Rows 0 and 4 are clear, 1 to 3 blurred, 5 fails and 6 is rejected. */
async function endedBatch(options: object = {}): Promise<{ id: string; path: string }> {
  const id = await batches.open(options);
  const rows = [
    uploadedRow('clear', clear),
    ...blurred.map((image, i) => uploadedRow(`blurred-${i}`, image)),
    uploadedRow('clear-too', clear),
    `${JSON.stringify({ customId: 'away', imageUrl: 'http://nowhere.invalid/1.jpg' })}\n`,
    '{"customId":"none"}\n',
  ];
  await batches.send(id, rows.join(''));
  const path = `/batches/${id}`;
  expect((await answerOf(ask('GET', `${path}/review`))).status).toBe(409);
  await batches.seal(id);
  await batches.until(id, 'completed');
  return { id, path };
}

describe('the review of a batch', () => {
  let id: string;
  let path: string;
  test('lists what needs a person, the most doubtful first', async () => {
    ({ id, path } = await endedBatch());
    const { review, rows, links } = await page(path);
    expect(review).toEqual({ needed: 3, approved: 0, rejected: 0, pending: 3 });
    expect(rows.map(({ row }) => row).sort()).toEqual([1, 2, 3]);
    const confidences = rows.map(({ confidence }) => confidence);
    expect(confidences).toEqual([...confidences].sort((a, b) => a - b));
    expect(rows[0]).toMatchObject({ needed: true, decision: 'pending', revision: 0 });
    expect(rows[0]?.reasons).toContain('blurred');
    expect(links).toBeUndefined();
    expect((await sendJson('GET', String(rows[0]?.cutout.url))).status).toBe(200);
    expect((await batches.get(id)).review).toEqual(review);
  });

  test('has pages, and filters by reason and decision', async () => {
    const whole = (await page(path)).rows.map(({ row }) => row);
    const first = await page(path, '?limit=2');
    const next = first.links?.next.replace('/intake/v1', '') ?? '';
    const second = await read(Page, next);
    expect([...first.rows, ...second.rows].map(({ row }) => row)).toEqual(whole);
    expect(second.links).toBeUndefined();
    expect((await page(path, '?reason=gap-unsure&decision=approved')).rows).toEqual([]);
    const all = await page(path, '?needed=false&limit=3');
    expect(all.rows.map(({ row }) => row)).toEqual([0, 1, 2]);
    const rest = await read(Page, all.links?.next.replace('/intake/v1', '') ?? '');
    expect(rest.rows.map(({ row }) => row)).toEqual([3, 4]);
    expect((await answerOf(ask('GET', `${path}/review?decision=maybe`))).body).toMatchObject({
      type: 'invalid-request',
      errors: [{ pointer: '?decision' }],
    });
  });

  test('one of two people who decide at once gets 409 and the present decision', async () => {
    const replies = await Promise.all([
      decide(path, 1, { decision: 'approved', note: 'fine', revision: 0 }),
      decide(path, 1, { decision: 'rejected', revision: 0 }),
    ]);
    const won = replies.find(({ status }) => status === 200)?.body;
    const lost = replies.find(({ status }) => status === 409)?.body;
    expect(won).toMatchObject({ row: 1, revision: 1, source: 'row' });
    expect(lost).toMatchObject({
      type: 'conflict',
      present: { decision: won?.decision, revision: 1, decidedBy: won?.decidedBy },
    });
    const back = await decide(path, 1, { decision: 'pending', revision: 1 });
    expect(back).toMatchObject({ status: 200, body: { decision: 'pending', revision: 2 } });
    expect((await page(path)).review).toMatchObject({ approved: 0, rejected: 0, pending: 3 });
    const shown = await read(z.looseObject({ history: z.array(z.unknown()) }), `${path}/review/1`);
    expect(shown.history).toEqual([
      expect.objectContaining({ revision: 2, decision: 'pending' }),
      expect.objectContaining({ revision: 1, decision: won?.decision }),
    ]);
    expect(JSON.stringify(shown)).not.toContain(key);
    // The loser's request, repeated, does not win; the winner's is answered again until someone decides anew.
    const repeated = await decide(path, 1, { decision: 'pending', revision: 1 });
    expect(repeated).toMatchObject({ status: 200, body: { revision: 2 } });
  });

  test('says what is wrong', async () => {
    const wrong = await decide(path, 2, { decision: 'approved', revision: 0, who: 'me' });
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ pointer: '/who' }] } });
    const note = 'x'.repeat(501);
    const long = await decide(path, 2, { decision: 'approved', revision: 0, note });
    expect(long).toMatchObject({ status: 400, body: { errors: [{ pointer: '/note' }] } });
    for (const row of [5, 6, 7, 999]) {
      const reply = await decide(path, row, { decision: 'approved', revision: 0 });
      expect([row, reply.status]).toEqual([row, 404]);
    }
    const other = batchClient(stack, (await stack.key({ client: 'other' })).key);
    expect((await other.ask('GET', `${path}/review`)).status).toBe(404);
  });

  test('approves in bulk; a later decision about a row wins', async () => {
    const { rows } = await page(path);
    const [doubtful, , best] = rows;
    expect(best && doubtful).toBeDefined();
    const bulk = { decision: 'approved', minConfidence: 0 };
    await decide(path, doubtful!.row, { decision: 'rejected', revision: doubtful!.revision });
    const { body } = await answerOf(ask('POST', `${path}/review`, bulk));
    const expected = { approved: 2, review: { needed: 3, approved: 2, rejected: 1, pending: 0 } };
    expect(body).toEqual(expected);
    expect((await page(path, '?decision=approved')).rows).toEqual([
      expect.objectContaining({ source: 'bulk' }),
      expect.objectContaining({ source: 'bulk' }),
    ]);
    await decide(path, best!.row, { decision: 'pending', revision: best!.revision });
    expect((await page(path)).review).toMatchObject({ approved: 1, rejected: 1, pending: 1 });
    expect((await answerOf(ask('POST', `${path}/review`, bulk))).body).toMatchObject({
      approved: 1,
    });
  });

  test('decides which cut-outs the results and the manifest have', async () => {
    const cutoutsOf = async (report: string, policy: string) =>
      (await batches.lines(id, `${report}?export=${policy}`)).flatMap(({ row, cutout }) =>
        cutout ? [row] : [],
      );
    const [rejected] = (await page(path, '?decision=rejected')).rows;
    const approved = [0, 1, 2, 3, 4].filter((row) => row !== rejected?.row);
    for (const report of ['results', 'manifest']) {
      expect(await cutoutsOf(report, 'approved')).toEqual(approved);
      expect(await cutoutsOf(report, 'passed')).toEqual([0, 4]);
      expect(await cutoutsOf(report, 'all')).toEqual([0, 1, 2, 3, 4]);
    }
    // A cut-out that needs no review may be rejected too.
    await decide(path, 0, { decision: 'rejected', revision: 0 });
    expect(await cutoutsOf('results', 'passed')).toEqual([4]);
  });

  test('is available to the client', async () => {
    const review = createClient({ baseUrl: stack.url, key }).batches.review(id);
    const rows = [];
    for await (const row of review.rows({ needed: false })) rows.push(row.row);
    expect(rows).toEqual([0, 1, 2, 3, 4]);
    const { revision } = await review.get(4);
    const decided = await review.decide(4, { decision: 'approved', revision });
    expect(decided).toMatchObject({ decision: 'approved', revision: 1 });
    const late = review.decide(4, { decision: 'rejected', revision });
    await expect(late).rejects.toBeInstanceOf(SelvageError);
    const { reasons, pending } = await review.summary();
    expect(reasons?.blurred).toBe(3);
    expect(pending).toEqual([]);
    const kept = Buffer.from((await review.photo(1)).image);
    expect(kept.equals(blurred[0]!)).toBe(true);
    await expect(review.photo(0)).rejects.toMatchObject({ type: 'gone', status: 410 });
    expect(await review.approve(0.5)).toMatchObject({ approved: 0 });
  });

  test('is deleted with its batch', async () => {
    expect((await batches.erase(id)).status).toBe(200);
    expect((await ask('GET', `${path}/review`)).status).toBe(410);
    const late = await decide(path, 2, { decision: 'approved', revision: 0 });
    expect(late.status).toBe(410);
  });
});

describe('the review of a feed run', () => {
  const header = 'id,title,image_link\r\n';
  let images: string[];
  let run: Run;
  let path: string;
  const messages: { type: string; data: { id: string } }[] = [];

  async function putFeed(): Promise<string> {
    const cells = images.map((url, i) => `sku-${i},Shirt,${url}\r\n`);
    const body = `${header}${cells.join('')}`;
    return shop.put('/review/feed.csv', { body, type: 'text/csv' });
  }
  const exported = async (policy: string): Promise<boolean[]> => {
    const response = await feeds.ask('GET', `/feeds/${run.feedId}/export?export=${policy}`);
    expect(response.status).toBe(200);
    const lines = (await response.text()).trim().split('\r\n').slice(1);
    return lines.map((line, i) => !line.endsWith(images[i] ?? ''));
  };

  test('lists products with their images and links to the cut-outs', async () => {
    const receive: RequestListener = async (request, response) => {
      messages.push(JSON.parse(await text(request)));
      response.end();
    };
    await batches.ask('POST', '/webhooks/secret');
    images = await Promise.all(
      [clear, ...blurred].map(async (body, i) =>
        shop.put(`/review/${i}.jpg`, { body, type: 'image/jpeg' }),
      ),
    );
    const url = await putFeed();
    const webhook = { url: shop.put('/hook', receive) };
    const feed = await readFeed(await feeds.postJson({ url, webhook }));
    run = await feeds.until(feed.run, 'completed');
    path = feeds.pathOf(run);
    const { rows, review } = await page(path);
    expect(review).toMatchObject({ needed: 3, pending: 3 });
    const [row] = rows;
    expect(row).toMatchObject({ image: 0, imageUrl: images[row?.row ?? 0] });
    expect((await fetch(`${stack.url}${row?.cutout.url}`)).status).toBe(200);
    expect(row).toMatchObject({ title: 'Shirt' });
  });

  test('shows the photo that was kept, or the one behind the link, if it is the same', async () => {
    const photo = (row: number) => feeds.ask('GET', `${path}/review/${row}/photo`);
    for (const [row, body] of [clear, ...blurred].entries()) {
      const response = await photo(row);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect(response.headers.get('content-security-policy')).toContain('sandbox');
      expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
    }
    shop.put('/review/1.jpg', { body: clear, type: 'image/jpeg' });
    expect((await photo(1)).status).toBe(200);
    shop.put('/review/0.jpg', { body: blurred[0]!, type: 'image/jpeg' });
    const other = await answerOf(photo(0));
    expect(other).toMatchObject({ status: 410, body: { type: 'gone' } });
    expect(other.body.detail).toContain('another photo');
    shop.put('/review/0.jpg', { body: Buffer.from('no picture'), type: 'image/jpeg' });
    expect((await photo(0)).status).toBe(410);
    for (const [i, body] of [clear, blurred[0]!].entries()) {
      shop.put(`/review/${i}.jpg`, { body, type: 'image/jpeg' });
    }
    expect((await photo(99)).status).toBe(404);
  });

  test('decides what the export links to, and is reported once when it is done', async () => {
    expect(await exported('all')).toEqual([true, true, true, true]);
    expect(await exported('approved')).toEqual([true, false, false, false]);
    await decide(path, 1, { decision: 'approved', revision: 0 });
    await decide(path, 2, { decision: 'rejected', revision: 0 });
    expect(await exported('approved')).toEqual([true, true, false, false]);
    expect(await exported('passed')).toEqual([true, false, false, false]);
    const bulk = { decision: 'approved', minConfidence: 0 };
    await ask('POST', `${path}/review`, bulk);
    expect(await exported('approved')).toEqual([true, true, false, true]);
    await decide(path, 3, { decision: 'pending', revision: 0 });
    await decide(path, 3, { decision: 'approved', revision: 1 });
    const ofRun = () => messages.filter(({ data }) => data.id === run.id).map(({ type }) => type);
    await expect.poll(() => ofRun().sort()).toEqual(['feed.run.completed', 'feed.run.reviewed']);
  });

  test('survives the next run where pictures are the same', async () => {
    await ask('POST', `${path}/review`, { decision: 'approved', minConfidence: 0 });
    await decide(path, 3, { decision: 'pending', revision: 2 });
    await ask('POST', `${path}/review`, { decision: 'approved', minConfidence: 0 });
    const other = await drawnShirt({ width: 400, height: 360, format: 'png' });
    const body = await sharp(other).blur(9).jpeg().toBuffer();
    shop.put('/review/1.jpg', { body, type: 'image/jpeg' });
    const before = path;
    run = await feeds.runAgain(run.feedId);
    path = feeds.pathOf(run);
    const late = await decide(before, 0, { decision: 'rejected', revision: 0 });
    expect(late).toMatchObject({ status: 409, body: { type: 'conflict' } });
    expect((await page(before)).rows[0]?.cutout.url).toBeUndefined();
    const { rows } = await page(path, '?needed=false');
    expect(rows.map(({ decision, source }) => ({ decision, source }))).toEqual([
      { decision: 'pending' },
      { decision: 'pending' },
      { decision: 'rejected', source: 'earlier-run' },
      { decision: 'approved', source: 'earlier-run' },
    ]);
    expect((await page(path)).review).toEqual({ needed: 3, approved: 1, rejected: 1, pending: 1 });
    expect(await exported('approved')).toEqual([true, false, false, true]);
    const undone = await decide(path, 2, { decision: 'pending', revision: 0 });
    expect(undone.body).toMatchObject({ decision: 'pending', revision: 1 });
    // A third run has the decisions of both.
    run = await feeds.runAgain(run.feedId);
    path = feeds.pathOf(run);
    expect((await page(path)).review).toEqual({ needed: 3, approved: 1, rejected: 0, pending: 2 });
  });
});
