import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../packages/client/src/client.ts';
import { batchClient, uploadedRow } from '../support/batches.ts';
import { type Run, readFeed } from '../support/feed-client.ts';
import { drawnShirt } from '../support/images.ts';
import { useCatalogue } from '../support/use-stack.ts';

const { stack, shop, key, batches, feeds } = await useCatalogue();
const size = { width: 400, height: 440 };
const shirt = await drawnShirt({ ...size, format: 'jpeg' });
/** The shirt in another colour: another product. */
const red = await sharp(shirt)
  .recomb([
    [0, 0, 1],
    [0, 1, 0],
    [1, 0, 0],
  ])
  .jpeg()
  .toBuffer();
/** The first again: recompressed and scaled, cropped, mirrored. */
const copies = await Promise.all([
  sharp(shirt).resize(300).jpeg({ quality: 60 }).toBuffer(),
  sharp(shirt).extract({ left: 12, top: 8, width: 380, height: 420 }).jpeg().toBuffer(),
  sharp(shirt).flop().jpeg().toBuffer(),
]);

const GROUP = {
  row: 1,
  customId: 'shirt',
  rows: 4,
  duplicates: [3, 4, 5].map((row) => ({
    row,
    customId: `copy-${row}`,
    similarity: expect.toSatisfy((similarity: number) => similarity >= 0.9),
  })),
};

describe('the duplicates of a batch', () => {
  let id: string;
  test('are known once it has ended', async () => {
    id = await batches.open();
    const rows = [
      uploadedRow('red', red),
      uploadedRow('shirt', shirt),
      `${JSON.stringify({ customId: 'away', imageUrl: 'http://nowhere.invalid/1.jpg' })}\n`,
      ...copies.map((copy, i) => uploadedRow(`copy-${i + 3}`, copy)),
    ];
    await batches.send(id, rows.join(''));
    const early = await batches.ask('GET', `/batches/${id}/duplicates`);
    expect(early.status).toBe(409);
    await batches.seal(id);
    const { duplicates } = await batches.until(id, 'completed');
    expect(duplicates).toEqual({ compared: 5, groups: 1, rows: 3 });
    const page = await batches.ask('GET', `/batches/${id}/duplicates`);
    expect(await page.json()).toEqual({ duplicates, groups: [GROUP] });
    const rest = await batches.ask('GET', `/batches/${id}/duplicates?cursor=1`);
    expect(await rest.json()).toEqual({ duplicates, groups: [] });
  });

  test('are named in results and manifest', async () => {
    for (const report of ['results', 'manifest']) {
      const lines = await batches.lines(id, report);
      const named = lines.filter(({ duplicateOf }) => duplicateOf !== undefined);
      expect(named.map(({ row, duplicateOf }) => [row, duplicateOf])).toEqual(
        [3, 4, 5].map((row) => [row, expect.objectContaining({ row: 1, customId: 'shirt' })]),
      );
    }
    const [first] = await batches.lines(id, 'results');
    const expected = { fingerprint: expect.stringMatching(/^layout1:[\w-]{86}$/) };
    expect(first?.cutout).toMatchObject(expected);
  });

  test('come group by group from the client', async () => {
    const groups = [];
    const client = createClient({ baseUrl: stack.url, key });
    for await (const group of client.batches.duplicates(id)) groups.push(group);
    expect(groups).toEqual([GROUP]);
  });

  test('are those of the client alone, and are deleted with the batch', async () => {
    const other = batchClient(stack, (await stack.key({ client: 'others' })).key);
    expect((await other.ask('GET', `/batches/${id}/duplicates`)).status).toBe(404);
    const bad = await batches.ask('GET', `/batches/${id}/duplicates?limit=0`);
    expect(await bad.json()).toMatchObject({ errors: [{ pointer: '?limit' }] });
    expect((await batches.erase(id)).status).toBe(200);
    expect((await batches.ask('GET', `/batches/${id}/duplicates`)).status).toBe(410);
  });

  test('of classified and separated photos are found by the same fingerprint', async () => {
    const rows = [uploadedRow('a', shirt), uploadedRow('b', copies[0]!), uploadedRow('c', red)];
    const both = await batches.completed(rows.join(''), { operations: ['classify', 'separate'] });
    const { duplicates } = await batches.get(both);
    expect(duplicates).toEqual({ compared: 3, groups: 1, rows: 1 });
    const [line] = await batches.lines(both, 'results');
    const text = expect.stringMatching(/^layout1:/);
    expect(line).toMatchObject({
      classification: { fingerprint: text },
      outfit: { fingerprint: text, garments: [{ classification: { fingerprint: text } }] },
    });
  });
});

describe('the duplicates of a feed run', () => {
  let run: Run;
  const report = async (query: string, accept = '*/*'): Promise<string> => {
    const headers = { accept };
    const response = await feeds.ask('GET', `${feeds.pathOf(run)}/report${query}`, { headers });
    return response.text();
  };

  test('are in its report', async () => {
    const url = (name: string, body: Buffer): string =>
      shop.put(`/duplicates/${name}.jpg`, { body, type: 'image/jpeg' });
    const [a, b, c] = [url('a', shirt), url('b', red), url('c', copies[2]!)];
    const body = [
      'id,title,image_link,additional_image_link',
      `sku-1,Shirt,${b},${a}`,
      `sku-2,Shirt,${c},`,
      '',
    ].join('\r\n');
    const feedUrl = shop.put('/duplicates/feed.csv', { body, type: 'text/csv' });
    const feed = await readFeed(await feeds.postJson({ url: feedUrl }));
    run = await feeds.until(feed.run, 'completed');
    expect(run.duplicates).toEqual({ compared: 3, groups: 1, rows: 1 });
    const response = await feeds.ask('GET', `${feeds.pathOf(run)}/duplicates`);
    const first = { row: 1, customId: 'sku-1', image: 1 };
    expect(await response.json()).toMatchObject({
      groups: [{ ...first, rows: 2, duplicates: [{ row: 2, customId: 'sku-2', image: 0 }] }],
    });
    const [, , second] = await feeds.report(run);
    expect(second).toMatchObject({ id: 'sku-2', images: [{ duplicateOf: first }] });
    expect(await report('?format=csv')).toMatch(/\r\n3,sku-2,.*,sku-1,2,(0\.9\d*|1)\r\n/);
    const page = await report('', 'text/html');
    expect(page).toContain('<dt>Repeated pictures</dt><dd>1</dd>');
    expect(page).toContain('Same picture as image 2 of sku-1');
  });

  test('are found again among images that have not changed', async () => {
    run = await feeds.runAgain(run.feedId);
    const expected = { counts: { unchanged: 3 }, duplicates: { compared: 3, groups: 1, rows: 1 } };
    expect(run).toMatchObject(expected);
  });
});
