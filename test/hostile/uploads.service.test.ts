import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { segment } from '../../src/storage/blob-keys.ts';
import { type BatchClient, batchClient, readUploaded, rowOf } from '../support/batches.ts';
import { feedClient } from '../support/feed-client.ts';
import { drawnShirt } from '../support/images.ts';
import { intakeClient } from '../support/intake.ts';
import { listStoredFiles } from '../support/stored-files.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack, record, batches: ample } = await useSharedStack();
const shirt = await drawnShirt({ width: 300, height: 360, format: 'jpeg' });
let before: string[];
beforeEach(async () => {
  before = await listStoredFiles(storeFolder());
});

const storeFolder = () => join(stack.home, 'store', 'blobs');

/** The files that a test has left in the store, without the manifests of its batches. */
async function newFiles(): Promise<string[]> {
  const known = new Set(before);
  const files = await listStoredFiles(storeFolder());
  const isOfRows = (file: string) =>
    file.includes(`/${segment(record.client)}~/`) && !file.endsWith('batch.json');
  return files.filter((file) => !known.has(file) && isOfRows(file));
}

const sizeOf = async (files: readonly string[]): Promise<number> => {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
};

const photos = (count: number): [string, Uint8Array][] =>
  Array.from({ length: count }, (_, i) => [`${i}.jpg`, shirt]);

const Refusal = z.looseObject({
  type: z.string(),
  detail: z.string(),
  accepted: z.number(),
  rejected: z.number(),
  offset: z.number(),
});

async function readRefusal(response: Response): Promise<z.infer<typeof Refusal>> {
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  return Refusal.parse(await response.json());
}

const Usage = z.looseObject({
  storedBytes: z.object({ limit: z.number(), remaining: z.number(), resetsAt: z.iso.datetime() }),
});

async function bytesUsed(ask: BatchClient['ask']): Promise<number> {
  const { storedBytes } = Usage.parse(await (await ask('GET', '/usage')).json());
  return storedBytes.limit - storedBytes.remaining;
}

describe('of rows that are refused nothing is left in the store:', () => {
  test('three uploads of 40 files without quota', async () => {
    const poor = batchClient(stack, (await stack.key({ quotaPerDay: 0 })).key);
    for (let round = 0; round < 3; round++) {
      const response = await poor.sendFiles(await poor.open(), photos(40));
      expect(await readRefusal(response)).toMatchObject({
        type: 'quota-exceeded',
        accepted: 0,
        offset: 0,
      });
    }
    expect(await newFiles()).toEqual([]);
    expect(await bytesUsed(poor.ask)).toBe(0);
  });

  test('uploads at once that share what is left of a quota', async () => {
    const poor = batchClient(stack, (await stack.key({ quotaPerDay: 30 })).key);
    const ids = [await poor.open(), await poor.open(), await poor.open()];
    const outcomes = await Promise.all(
      ids.map(async (id) => readRefusal(await poor.sendFiles(id, photos(40)))),
    );
    const accepted = outcomes.reduce((sum, outcome) => sum + outcome.accepted, 0);
    expect(accepted).toBe(30);
    const inputs = (await newFiles()).filter((file) => file.includes('/in~/'));
    expect(inputs).toHaveLength(30);
  });

  test('rows of a batch that was sealed while they arrived', async () => {
    const id = await ample.open();
    const usedBefore = await bytesUsed(ample.ask);
    const body = new PassThrough();
    const imageBase64 = shirt.toString('base64');
    body.write(`${JSON.stringify({ customId: 'a', imageBase64 })}\n${' '.repeat(70_000)}`);
    const upload = ample.send(id, Readable.toWeb(body) as ReadableStream);
    await expect.poll(async () => (await newFiles()).length).toBe(1);
    await ample.seal(id);
    body.end();
    expect((await upload).status).toBe(409);
    const inputs = (await newFiles()).filter((file) => file.includes('/in~/'));
    expect(inputs).toEqual([]);
    expect(await bytesUsed(ample.ask)).toBe(usedBefore);
  });
});

describe('rows that are rejected', () => {
  test('take one line for many, and are reported one by one', async () => {
    const id = await ample.open();
    const count = 30_000;
    const rows = '{}\n\n'.repeat(count);
    const mixed = `${rowOf('a')}{}\n{"customId":"b"}\n[]\n`;
    expect(await readUploaded(await ample.send(id, rows))).toMatchObject({
      accepted: 0,
      rejected: count,
      offset: rows.length - 1, // the last line is empty
      errors: [1, 3, 5, 7, 9, 11, 13, 15, 17, 19].map((line) => ({ line })),
    });
    // A file has some 300 bytes.
    expect(await sizeOf(await newFiles())).toBeLessThan(10_000);
    expect(await readUploaded(await ample.send(id, mixed))).toMatchObject({
      accepted: 1,
      rejected: 3,
    });
    expect((await ample.get(id)).counts).toMatchObject({ accepted: 1, rejected: count + 3 });

    const errors = await ample.lines(id, 'errors');
    const problem = {
      type: expect.stringMatching(/invalid-request$/),
      detail: 'The row has no customId; The row has neither imageUrl nor imageBase64',
    };
    expect(errors).toHaveLength(count + 3);
    expect(errors.slice(0, count).map(({ row, line }) => [row, line])).toEqual(
      Array.from({ length: count }, (_, i) => [i, 2 * i + 1]),
    );
    expect(errors[count - 1]).toMatchObject({ row: count - 1, problem });
    expect(errors.slice(count).map(({ row, line, customId }) => [row, line, customId])).toEqual([
      [count + 1, 2, undefined],
      [count + 2, 3, 'b'],
      [count + 3, 4, undefined],
    ]);
    expect(await ample.ask('GET', `/batches/${id}/errors?after=${count - 2}`)).toMatchObject({
      status: 200,
    });
    const cutout = await ample.ask('GET', `/batches/${id}/rows/${count - 5}/cutout`);
    expect(await cutout.json()).toMatchObject({
      status: 404,
      detail: expect.stringMatching(/^The row was rejected: The row has no customId/),
    });
    await ample.erase(id);
  });

  test('use up the rate limit, 50 to a request, and the upload can be resumed', async () => {
    const { key } = await stack.key({ rate: { count: 5, periodSeconds: 3600 } });
    const limited = batchClient(stack, key);
    const id = await limited.open();
    const rows = '{}\n'.repeat(1000) + rowOf('last');
    const refusal = await readRefusal(await limited.send(id, rows));
    expect(refusal).toMatchObject({
      type: 'rate-limit-exceeded',
      accepted: 0,
      rejected: 200,
      offset: 600,
    });
    expect((await ample.get(id)).counts).toMatchObject({ rejected: 200 });
    const rest = await ample.send(id, rows.slice(600), undefined, { query: '?offset=600' });
    expect(await readUploaded(rest)).toMatchObject({ accepted: 1, rejected: 800 });
  });

  test('use a request each if they bring an image', async () => {
    const damaged = Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.alloc(100_000)]);
    const files = Array.from({ length: 40 }, (_, i): [string, Uint8Array] => [`${i}`, damaged]);
    const rows = files.map(([customId]) =>
      JSON.stringify({ customId, imageBase64: damaged.toString('base64') }),
    );
    const uploads: ((client: BatchClient, id: string) => Promise<Response>)[] = [
      (client, id) => client.sendFiles(id, files),
      (client, id) => client.send(id, rows.join('\n')),
    ];
    for (const upload of uploads) {
      const { key } = await stack.key({ rate: { count: 5, periodSeconds: 3600 } });
      const limited = batchClient(stack, key);
      const refusal = await readRefusal(await upload(limited, await limited.open()));
      expect(refusal).toMatchObject({ type: 'rate-limit-exceeded', accepted: 0, rejected: 4 });
    }
  });
});

describe('the bytes that a key may store in a day', () => {
  const open = async (bytesPerDay: number) => (await stack.key({ bytesPerDay })).key;
  const tooMany = {
    type: 'quota-exceeded',
    detail: expect.stringMatching(/^\d+ of today's \d+ bytes are stored, .* midnight UTC$/),
  };

  test('count the images of jobs', async () => {
    const jobs = intakeClient(stack, await open(2 * shirt.length));
    const accepted = [await jobs.post(shirt), await jobs.post(shirt)];
    expect(accepted.map(({ status }) => status)).toEqual([202, 202]);
    expect(await bytesUsed(jobs.ask)).toBe(2 * shirt.length);
    const refused = await jobs.post(shirt);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject(tooMany);
    expect(await bytesUsed(jobs.ask)).toBe(2 * shirt.length);
    const quota = z.looseObject({ quota: z.looseObject({ remaining: z.number() }) });
    const usage = quota.parse(await (await jobs.ask('GET', '/usage')).json());
    expect(usage.quota.remaining).toBe(1_000_000 - 2);
  });

  test('count the images and rows of batches', async () => {
    const limited = batchClient(stack, await open(5 * shirt.length));
    const id = await limited.open();
    const refusal = await readRefusal(await limited.sendFiles(id, photos(40)));
    expect(refusal).toMatchObject({ ...tooMany, accepted: 5, rejected: 0, offset: 5 });
    const inputs = (await newFiles()).filter((file) => file.includes('/in~/'));
    expect(inputs).toHaveLength(5);
    const used = await bytesUsed(limited.ask);
    expect(used).toBe(5 * shirt.length);
    const again = await readRefusal(await limited.send(id, rowOf('a'), undefined));
    expect(again).toMatchObject({ ...tooMany, accepted: 0 });
  });

  test('count the rows of batches even if they are rejected', async () => {
    const limited = batchClient(stack, await open(10_000));
    const rows = Array.from({ length: 1000 }, (_, i) => `{"customId":"${i}"}\n`).join('');
    const refusal = await readRefusal(await limited.send(await limited.open(), rows));
    expect(refusal).toMatchObject({ ...tooMany, accepted: 0, rejected: 500 });
    const rowFiles = (await newFiles()).filter((file) => file.includes('/rows~/'));
    expect(rowFiles).toHaveLength(1);
  });

  test('count feeds as they arrive', async () => {
    const feeds = feedClient(stack, await open(6_000_000));
    const feed = `id,image_link\n${`x,${'y'.repeat(1000)}\n`.repeat(4000)}`;
    expect((await feeds.send('/feeds', feed)).status).toBe(202);
    expect(await bytesUsed(feeds.ask)).toBe(feed.length);
    const files = (await newFiles()).filter((file) => file.includes('/feeds~/')).length;
    const refused = await feeds.send('/feeds', feed);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject(tooMany);
    expect((await newFiles()).filter((file) => file.includes('/feeds~/'))).toHaveLength(files);
    await expect.poll(() => readdir(join(stack.home, 'store', 'unfinished'))).toEqual([]);
    expect(await bytesUsed(feeds.ask)).toBe(feed.length);
  });
});
