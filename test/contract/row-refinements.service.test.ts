import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { createClient, SelvageError } from '../../packages/client/src/client.ts';
import { type BatchClient, batchClient, uploadedRow } from '../support/batches.ts';
import { answerOf, formWith, postImage } from '../support/client.ts';
import { type Run, readFeed } from '../support/feed-client.ts';
import { drawnShirtOnWood, readPixels } from '../support/images.ts';
import { useCatalogue } from '../support/use-stack.ts';

const [WIDTH, HEIGHT] = [200, 240];
/** Over the middle of the shirt. */
const ERASE = {
  mode: 'erase',
  radius: 6,
  points: [
    [100, 110],
    [100, 130],
  ],
};

const { stack, shop, key, batches, feeds, postJson } = await useCatalogue();
const other = batchClient(stack, (await stack.key({ client: 'other' })).key);
const shirt = await drawnShirtOnWood({ width: WIDTH, height: HEIGHT, format: 'jpeg' });
const blurred = await sharp(shirt).blur(12).jpeg().toBuffer();

interface Sent {
  image?: Uint8Array;
  alpha?: Uint8Array;
  strokes?: object[];
  fields?: Record<string, string>;
  headers?: Record<string, string>;
  as?: BatchClient;
}

interface Answer {
  status: number;
  body: Record<string, unknown> & { cutout: { sha256: string; url: string } };
}

const answer = (sent: Promise<Response>): Promise<Answer> => answerOf(sent);
function refine(path: string, row: number, sent: Sent = {}): Promise<Answer> {
  const { image, alpha, strokes = [ERASE], fields = {}, headers = {}, as = batches } = sent;
  const body = formWith({ image, alpha, strokes: JSON.stringify(strokes), ...fields });
  return answer(as.ask('POST', `${path}/review/${row}/refinements`, { body, headers }));
}
const undo = (path: string, row: number, version: number, query = ''): Promise<Answer> =>
  answer(batches.ask('DELETE', `${path}/review/${row}/refinements/${version}${query}`));
const show = (path: string, row: number): Promise<Answer> =>
  answer(batches.ask('GET', `${path}/review/${row}`));
const decide = (path: string, row: number, body: object): Promise<Answer> =>
  answer(postJson(`/intake/v1${path}/review/${row}`, body));

/** The alpha in the middle of the stroke. */
const alphaAt = async (response: Response) =>
  (await readPixels(await response.arrayBuffer())).middle[3];

describe('the rows of a batch', () => {
  let id: string;
  let path: string;
  const alphaOf = async (row: number) =>
    alphaAt(await batches.ask('GET', `${path}/rows/${row}/cutout`));
  const lineOf = async (row: number, query = '') =>
    (await batches.lines(id, `results${query}`)).find((line) => line.row === row);

  test('have no review before the end', async () => {
    const imageUrl = shop.put('/shirt.jpg', { body: shirt, type: 'image/jpeg' });
    const rows = [
      { customId: 'sent', imageBase64: shirt.toString('base64') },
      { customId: 'blurred', imageBase64: blurred.toString('base64') },
      { customId: 'linked', imageUrl },
    ];
    id = await batches.open();
    path = `/batches/${id}`;
    await batches.send(id, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expect((await refine(path, 0, { image: shirt })).status).toBe(409);
    await batches.seal(id);
    await batches.until(id, 'completed');
  });

  test('a mended row is pending, and everything shows the newest cut-out', async () => {
    const before = await show(path, 0);
    expect(await alphaOf(0)).toBe(255);
    expect(before.body).not.toHaveProperty('needsAlpha');
    await decide(path, 0, { decision: 'approved', revision: 0 });
    const { status, body } = await refine(path, 0, { image: shirt });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ row: 0, decision: 'pending', revision: 2, refinements: 1 }),
    ]);
    expect(body.cutout.sha256).not.toBe(before.body.cutout.sha256);
    expect(await alphaOf(0)).toBe(0);
    const { sha256 } = body.cutout;
    expect(await lineOf(0)).toMatchObject({ refinements: 1, cutout: { sha256 } });
    const [manifestLine] = await batches.lines(id, 'manifest');
    expect(manifestLine).toMatchObject({ refinements: 1, cutout: { sha256 } });
    expect(await lineOf(2)).not.toHaveProperty('refinements');
    // It needed no review, but nobody has approved the mended one.
    for (const policy of ['passed', 'approved'])
      expect(await lineOf(0, `?export=${policy}`)).not.toHaveProperty('cutout');
    const decided = await decide(path, 0, { decision: 'approved', revision: 2 });
    expect(decided.body).toMatchObject({ decision: 'approved', revision: 3, refinements: 1 });
    for (const policy of ['passed', 'approved'])
      expect(await lineOf(0, `?export=${policy}`)).toMatchObject({ cutout: { sha256 } });
    const { history } = (await show(path, 0)).body;
    expect(history).toMatchObject([
      { revision: 3, decision: 'approved', version: { cutoutSha256: sha256, refinements: 1 } },
      { revision: 2, decision: 'pending', version: { cutoutSha256: sha256, refinements: 1 } },
      { revision: 1, decision: 'approved', version: before.body.cutout && expect.anything() },
    ]);
  });

  test('undo goes back one by one', async () => {
    const original = (await show(path, 2)).body.cutout.sha256;
    expect((await refine(path, 2)).body).toMatchObject({ refinements: 1 });
    const once = (await show(path, 2)).body.cutout.sha256;
    const add = [{ ...ERASE, mode: 'add' }];
    expect((await refine(path, 2, { strokes: add })).body).toMatchObject({ refinements: 2 });
    expect(await alphaOf(2)).toBe(255);
    expect(await undo(path, 2, 1)).toMatchObject({ status: 409, body: { refinements: 2 } });
    expect((await undo(path, 2, 3)).status).toBe(404);
    const expected = { status: 409, present: { revision: 2, refinements: 2 } };
    expect((await undo(path, 2, 2, '?revision=1')).body).toMatchObject(expected);
    const undone = await undo(path, 2, 2, '?revision=2');
    expect(undone.body).toMatchObject({ refinements: 1, revision: 3, cutout: { sha256: once } });
    expect(await alphaOf(2)).toBe(0);
    const first = await undo(path, 2, 1);
    expect(first.body).toMatchObject({ decision: 'pending', cutout: { sha256: original } });
    expect(first.body).not.toHaveProperty('refinements');
    expect((await undo(path, 2, 1)).status).toBe(404);
    expect(await stack.stored(id, '/refined-')).toHaveLength(1);
  });

  test('the photo is sent again, unless it was kept or is still at its address', async () => {
    const missing = await refine(path, 0);
    expect(missing.body).toMatchObject({ status: 410, errors: [{ pointer: '/image' }] });
    expect((await refine(path, 1)).body).toMatchObject({ needed: true, refinements: 1 });
    expect((await undo(path, 1, 1)).status).toBe(200);
    const wrong = await refine(path, 1, { image: shirt });
    expect(wrong.body).toMatchObject({ status: 400, errors: [{ pointer: '/image' }] });
    shop.put('/shirt.jpg', { body: blurred, type: 'image/jpeg' });
    const another = await refine(path, 2);
    expect(another.body).toMatchObject({ status: 410, errors: [{ pointer: '/image' }] });
    expect((await refine(path, 2, { image: shirt })).body).toMatchObject({ refinements: 1 });
    expect((await undo(path, 2, 1)).status).toBe(200);
  });

  test('says what is wrong', async () => {
    const outside = [{ ...ERASE, points: [[100, HEIGHT + 1]] }];
    const alpha = await sharp(shirt).resize(10, 12).png().toBuffer();
    const cases: [Sent, number, string][] = [
      [{ strokes: outside }, 400, '/strokes/0/points/0'],
      [{ alpha }, 400, '/alpha'],
      [{ fields: { revision: 'one' } }, 400, '/revision'],
      [{ fields: { crop: 'true' } }, 400, '/crop'],
    ];
    for (const [sent, status, pointer] of cases) {
      const reply = await refine(path, 1, { image: blurred, ...sent });
      expect(reply).toMatchObject({ status, body: { errors: [{ pointer }] } });
    }
    expect((await refine(path, 3, { image: shirt })).status).toBe(404);
    expect((await refine(path, 1, { image: blurred, as: other })).status).toBe(404);
  });

  test('of two people who mend or decide at once one wins, and the other sees the decision', async () => {
    const revision = Number((await show(path, 1)).body.revision);
    const replies = await Promise.all([
      refine(path, 1, { image: blurred, fields: { revision: String(revision) } }),
      refine(path, 1, { image: blurred, fields: { revision: String(revision) } }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const lost = replies.find(({ status }) => status === 409);
    expect(lost?.body).toMatchObject({
      type: 'conflict',
      present: { decision: 'pending', revision: revision + 1, refinements: 1 },
    });
    const late = await decide(path, 1, { decision: 'approved', revision });
    expect(late).toMatchObject({ status: 409, body: { present: { refinements: 1 } } });
    const expected = { refinements: 1, revision: revision + 1 };
    expect((await show(path, 1)).body).toMatchObject(expected);
    expect(await stack.stored(id, '/refined-')).toHaveLength(2);
  });

  test('a request that is repeated with its Idempotency-Key mends once', async () => {
    const before = (await show(path, 0)).body;
    const sent = { image: shirt, headers: { 'idempotency-key': 'mend-1' } };
    const first = await refine(path, 0, sent);
    expect(first.body).toMatchObject({ refinements: 2 });
    expect((await refine(path, 0, sent)).body).toEqual(first.body);
    const expected = { refinements: 2, revision: Number(before.revision) + 1 };
    expect((await show(path, 0)).body).toMatchObject(expected);
    const another = await refine(path, 0, { ...sent, fields: { revision: '1' } });
    expect(another.body).toMatchObject({ type: 'idempotency-mismatch' });
  });

  test('counts as stored bytes', async () => {
    const left = async () => {
      const { body } = await answer(batches.ask('GET', '/usage'));
      return (body as unknown as { storedBytes: { remaining: number } }).storedBytes.remaining;
    };
    const before = await left();
    const { body } = await refine(path, 0, { image: shirt });
    const cutout = (await batches.lines(id, 'results'))[0]?.cutout as { bytes: number };
    expect(body).toMatchObject({ refinements: 3 });
    expect(before - (await left())).toBeGreaterThanOrEqual(cutout.bytes);
  });

  test('is available to the client', async () => {
    const review = createClient({ baseUrl: stack.url, key }).batches.review(id);
    const strokes = [{ ...ERASE, mode: 'add' as const, points: [[100, 120] as [number, number]] }];
    const { revision } = await review.get(1);
    const mended = await review.refine(1, { image: blurred, strokes, revision });
    expect(mended).toMatchObject({ refinements: 2, revision: revision + 1, needed: true });
    const late = review.refine(1, { image: blurred, strokes, revision });
    await expect(late).rejects.toBeInstanceOf(SelvageError);
    expect(await review.undoRefinement(1, 2)).toMatchObject({ refinements: 1 });
  });

  test('mended cut-outs are deleted with their batch', async () => {
    const erased = await answer(batches.erase(id));
    expect(erased.status).toBe(200);
    expect(await stack.stored(id)).toEqual([]);
    expect((await refine(path, 0, { image: shirt })).status).toBe(410);
    expect((await undo(path, 0, 1)).status).toBe(410);
  });
});

test('a cropped cut-out on a colour is mended with the alpha of the whole photo', async () => {
  const whole = await postImage(stack, shirt, { key });
  const alpha = Buffer.from(await whole.arrayBuffer());
  const id = await batches.completed(uploadedRow('drawn', shirt), {
    options: { crop: true, backgroundColor: '#00ff00' },
  });
  const path = `/batches/${id}`;
  expect((await show(path, 0)).body).toMatchObject({ needsAlpha: true });
  const missing = await refine(path, 0, { image: shirt });
  expect(missing).toMatchObject({ status: 400, body: { errors: [{ pointer: '/alpha' }] } });
  const mended = await refine(path, 0, { image: shirt, alpha });
  expect(mended).toMatchObject({ status: 200, body: { refinements: 1, needsAlpha: true } });
  const file = await (await batches.ask('GET', `${path}/rows/0/cutout`)).arrayBuffer();
  const { width = 0, height = 0 } = await sharp(file).metadata();
  expect(width).toBeLessThan(WIDTH);
  expect(height).toBeLessThan(HEIGHT);
});

describe('the rows of a feed run', () => {
  let run: Run;
  let path: string;
  const next = async (): Promise<void> => {
    run = await feeds.runAgain(run.feedId);
    path = feeds.pathOf(run);
  };
  /** The brightness in the middle of the stroke in each exported picture. */
  async function exportedPixels(): Promise<number[]> {
    const response = await feeds.ask('GET', `/feeds/${run.feedId}/export`);
    const links = (await response.text()).trim().split('\r\n').slice(1);
    return Promise.all(
      links.map(async (line) => {
        const picture = await fetch(line.split(',').at(-1) ?? '');
        expect(picture.headers.get('content-type')).toBe('image/jpeg');
        const image = sharp(Buffer.from(await picture.arrayBuffer()));
        const { width } = await image.metadata();
        const raw = await image.raw().toBuffer();
        const scale = width / WIDTH;
        const at = 3 * (Math.round(120 * scale) * width + Math.round(100 * scale));
        return Math.min(...raw.subarray(at, at + 3));
      }),
    );
  }
  const imagesOf = () => stack.stored(run.feedId, 'refined-');

  test('the export has the picture of the newest cut-out', async () => {
    const image = shop.put('/feed/shirt.jpg', { body: shirt, type: 'image/jpeg' });
    const plain = shop.put('/feed/blurred.jpg', { body: blurred, type: 'image/jpeg' });
    const cells = [image, image, plain].map((url, i) => `sku-${i},Shirt,${url}\r\n`);
    const body = `id,title,image_link\r\n${cells.join('')}`;
    const url = shop.put('/feed/feed.csv', { body, type: 'text/csv' });
    const feed = await readFeed(await feeds.postJson({ url, export: { background: '#ffffff' } }));
    run = await feeds.until(feed.run, 'completed');
    path = feeds.pathOf(run);
    const made = await show(path, 0);
    // The photo is fetched from the shop again.
    const mended = await refine(path, 0);
    expect(mended).toMatchObject({ status: 200, body: { refinements: 1, decision: 'pending' } });
    expect((await fetch(`${stack.url}${mended.body.cutout.url}`)).status).toBe(200);
    expect(mended.body.cutout.sha256).not.toBe(made.body.cutout.sha256);
    const [first = 0, second = 255] = await exportedPixels();
    expect(first).toBeGreaterThan(250);
    expect(second).toBeLessThan(200);
    const [, product] = await feeds.report(run);
    expect(product).toMatchObject({ images: [{ refinements: 1 }] });
  });

  test('stays mended in the next run, for the same picture', async () => {
    const before = path;
    await next();
    expect(run.counts).toMatchObject({ unchanged: 3 });
    expect((await refine(before, 0)).status).toBe(409);
    const [first = 0, second = 0] = await exportedPixels();
    expect(Math.min(first, second)).toBeGreaterThan(250);
    const expected = { refinements: 1, decision: 'pending', revision: 0, source: 'earlier-run' };
    expect((await show(path, 1)).body).toMatchObject(expected);
    await decide(path, 1, { decision: 'approved', revision: 0 });
    expect((await refine(path, 2)).body).toMatchObject({ refinements: 1, revision: 1 });
    const bulk = { decision: 'approved', minConfidence: 0 };
    await postJson(`/intake/v1${path}/review`, bulk);
    await next();
    for (const row of [0, 1, 2])
      expect((await show(path, row)).body).toMatchObject({
        refinements: 1,
        decision: 'approved',
        source: 'earlier-run',
      });
    // A cut-out and a picture of each.
    expect(await imagesOf()).toHaveLength(4);
  });

  test('undo holds in the next run, and leaves other rows as they are', async () => {
    const undone = await undo(path, 0, 1);
    expect(undone.body).toMatchObject({ decision: 'pending', revision: 1 });
    const [first = 255, second = 0] = await exportedPixels();
    expect(first).toBeLessThan(200);
    expect(second).toBeGreaterThan(250);
    await next();
    expect((await show(path, 0)).body).not.toHaveProperty('refinements');
    expect((await show(path, 2)).body).toMatchObject({ refinements: 1, decision: 'approved' });
    // What was replaced keeps its link for the days of grace.
    expect(await imagesOf()).toHaveLength(4);
  });

  test('mended cut-outs are deleted with their feed', async () => {
    expect((await feeds.ask('DELETE', `/feeds/${run.feedId}`)).status).toBe(200);
    expect(await imagesOf()).toEqual([]);
    expect((await refine(path, 2)).status).toBe(410);
  });
});
