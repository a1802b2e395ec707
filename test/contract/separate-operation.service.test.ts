import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OutfitDescription } from '../../src/taxonomy/outfit/outfit-schema.ts';
import { readBatch } from '../support/batches.ts';
import { drawnFigure } from '../support/figure.ts';
import { intakeClient, readJob } from '../support/intake.ts';
import { listStoredFiles } from '../support/stored-files.ts';
import { useCatalogue } from '../support/use-stack.ts';

/** The operation `separate` of jobs, batches and feeds. */

const { stack, shop, intake: jobs, batches, feeds } = await useCatalogue();
const figure = await drawnFigure(200, 400);

const garmentFiles = async (...words: string[]): Promise<string[]> => {
  const files = await listStoredFiles(join(stack.home, 'store', 'blobs'));
  return files.filter((file) => /garment/.test(file) && words.every((word) => file.includes(word)));
};

async function expectPng(response: Response, sha256: string): Promise<void> {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('image/png');
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
}

const statusAndType = async (response: Response) => {
  const { type } = z.looseObject({ type: z.string() }).parse(await response.json());
  return [response.status, type];
};

describe('a job', () => {
  test('has its garments, each with a file, until it is erased with all of them', async () => {
    const job = await jobs.done(figure, { operations: 'separate' });
    const outfit = OutfitDescription.parse(job.results?.outfit);
    expect(outfit.person).toBe(true);
    expect(outfit.garments.length).toBeGreaterThan(2);
    for (const { index, cutout, classification } of outfit.garments) {
      expect(cutout?.url).toBe(`/intake/v1/jobs/${job.id}/garments/${index}`);
      const path = cutout!.url!.replace('/intake/v1', '');
      await expectPng(await jobs.ask('GET', path), cutout!.sha256);
      if (classification.wardrobeItem)
        expect(classification.wardrobeItem.id).toBe(`${job.id}-${index}`);
    }
    expect(await statusAndType(await jobs.ask('GET', `/jobs/${job.id}/garments/99`))).toEqual([
      404,
      'not-found',
    ]);
    expect(await statusAndType(await jobs.result(job.id))).toEqual([404, 'not-found']);
    const stored = await garmentFiles(job.id);
    expect(stored).toHaveLength(new Set(outfit.garments.map((one) => one.cutout?.sha256)).size);
    const receipt = (await (await jobs.erase(job.id)).json()) as { blobs: number };
    // The input may be there, too: it stays until the end of the job is on Redis's disk.
    expect([0, 1]).toContain(receipt.blobs - stored.length);
    expect(await garmentFiles(job.id)).toEqual([]);
    expect((await jobs.ask('GET', `/jobs/${job.id}/garments/0`)).status).toBe(410);
  });

  test('may cut out, classify and separate at once, once per Idempotency-Key', async () => {
    const fields = { operations: 'separate,classify,remove-background' };
    const headers = { 'idempotency-key': 'separate-1' };
    const first = await readJob(await jobs.post(figure, fields, headers));
    const again = await readJob(await jobs.post(figure, fields, headers));
    expect(again.id).toBe(first.id);
    const other = await jobs.post(figure, { operations: 'separate' }, headers);
    expect(await statusAndType(other)).toEqual([422, 'idempotency-mismatch']);
    const { results } = await jobs.until(first.id, 'succeeded');
    expect(Object.keys(results ?? {}).sort()).toEqual(['classification', 'cutout', 'outfit']);
    expect((await jobs.result(first.id)).status).toBe(200);
  });

  test('without the operation has no garments; with it the key needs both scopes', async () => {
    const plain = await readJob(await jobs.post(figure));
    expect(await statusAndType(await jobs.ask('GET', `/jobs/${plain.id}/garments/0`))).toEqual([
      404,
      'not-found',
    ]);
    const { key: half } = await stack.key({ client: 'half', scopes: ['taxonomy:classify'] });
    const response = await intakeClient(stack, half).post(figure, { operations: 'separate' });
    expect(await statusAndType(response)).toEqual([403, 'insufficient-scope']);
  });

  test('whose file is missing is damaged, not expired', async () => {
    const accepted = await jobs.done(figure, { operations: 'separate' });
    for (const file of await garmentFiles(accepted.id)) await rm(file, { recursive: true });
    const response = await jobs.ask('GET', `/jobs/${accepted.id}/garments/0`);
    expect(await statusAndType(response)).toEqual([500, 'damaged']);
  });
});

test('a batch has the garments of every row, in results, manifest and files, and erases all', async () => {
  const id = await batches.open({ operations: ['separate'] });
  await batches.sendFiles(id, [
    ['a.png', figure],
    ['b.png', await drawnFigure(220, 440)],
  ]);
  await readBatch(await batches.seal(id));
  await batches.until(id, 'completed');
  const results = await batches.lines(id, 'results');
  expect(results.map(({ customId }) => customId)).toEqual(['a.png', 'b.png']);
  let files = 0;
  for (const { row, outfit } of results) {
    const { garments } = OutfitDescription.parse(outfit);
    expect(garments.length).toBeGreaterThan(2);
    files += new Set(garments.map(({ cutout }) => cutout!.sha256)).size;
    for (const { index, cutout } of garments) {
      expect(cutout!.url).toBe(`/intake/v1/batches/${id}/rows/${row}/garments/${index}`);
      const path = cutout!.url!.replace('/intake/v1', '');
      await expectPng(await batches.ask('GET', path), cutout!.sha256);
    }
  }
  const [first] = await batches.lines(id, 'manifest');
  expect(first).toMatchObject({
    garments: expect.arrayContaining([
      {
        index: 0,
        group: expect.any(String),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        bytes: expect.any(Number),
        url: `/intake/v1/batches/${id}/rows/0/garments/0`,
      },
    ]),
  });
  expect((await batches.ask('GET', `/batches/${id}/rows/0/garments/50`)).status).toBe(404);
  expect((await batches.ask('GET', `/batches/${id}/rows/0/cutout`)).status).toBe(404);
  expect(await garmentFiles(id)).toHaveLength(files);
  await batches.erase(id);
  expect(await garmentFiles(id)).toEqual([]);
});

const ReportLine = z.looseObject({
  kind: z.string(),
  images: z
    .array(z.looseObject({ outcome: z.string(), outfit: OutfitDescription.optional() }))
    .optional(),
});

describe('a feed', () => {
  const productsOf = async (feedId: string, runId: string) => {
    const lines = await feeds.report({ feedId, id: runId });
    return lines.map((line) => ReportLine.parse(line)).filter(({ kind }) => kind === 'product');
  };
  test('reports n garments for an image, reuses them while it is unchanged, and deletes them', async () => {
    const image = shop.put('/figure.png', { body: figure, type: 'image/png' });
    const url = shop.put('/outfits.csv', {
      body: `id,title,image_link,price\r\nlook-1,Red T-shirt,${image},9 EUR\r\n`,
      type: 'text/csv',
    });
    const { feed } = await feeds.completed({ url, operations: ['separate'] });
    const [product] = await productsOf(feed.id, feed.run.id);
    const [first] = product!.images!;
    expect(first!.outcome).toBe('changed');
    const { garments } = first!.outfit!;
    expect(garments.length).toBeGreaterThan(2);
    for (const { cutout } of garments) await expectPng(await fetch(cutout!.url!), cutout!.sha256);

    const path = `/feeds/${feed.id}/runs/${feed.run.id}/report`;
    const table = await (await feeds.ask('GET', `${path}?format=csv`)).text();
    const [head, row] = table.trim().split('\r\n');
    expect(head).toMatch(/,garments,garment_pictures,duplicate_of,/);
    expect(row!.split('/intake/v1/files/')).toHaveLength(garments.length + 1);
    const page = await (await feeds.ask('GET', `${path}?format=html`)).text();
    expect(page).toContain('Garments: <a href=');

    const files = await garmentFiles(feed.id);
    expect(files).toHaveLength(new Set(garments.map(({ cutout }) => cutout!.sha256)).size);
    const next = await feeds.runAgain(feed.id);
    const [same] = await productsOf(feed.id, next.id);
    expect(same!.images![0]!.outcome).toBe('unchanged');
    expect(same!.images![0]!.outfit!.garments).toHaveLength(garments.length);
    expect(await garmentFiles(feed.id)).toEqual(files);

    await shop.putImage('/figure.png', 3);
    await feeds.runAgain(feed.id);
    const left = await garmentFiles(feed.id);
    // What was replaced keeps its links for the days of grace.
    expect(left).toEqual(expect.arrayContaining(files));
    await feeds.ask('DELETE', `/feeds/${feed.id}`);
    expect(await garmentFiles(feed.id)).toEqual([]);
  });
});
