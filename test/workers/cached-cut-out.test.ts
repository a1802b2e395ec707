import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cutOutKey, cutOutPrefix } from '../../src/storage/blob-keys.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { cachedCutOut, storeCutOut } from '../../workers/cached-cut-out.ts';

let dir: string;
let blobs: Blobs;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'selvage-kept-'));
  blobs = await createFsBlobs({ dir });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const never = new AbortController().signal;
let images = 0;
/** A picture nobody has had before. */
const fresh = () => ({
  client: 'acme',
  sha256: String(++images).padStart(64, '0'),
  model: 'm@1',
  options: {},
});
type Fresh = ReturnType<typeof fresh>;

const MADE = {
  ...{ file: Buffer.from('a png'), width: 2, height: 3, mediaType: 'image/png' as const },
  ...{ foreground: { left: 0, top: 1, width: 2, height: 1 }, model: 'm@1', confidence: 0.5 },
};
const make = (picture: Fresh, holder: string) =>
  storeCutOut(blobs, cutOutKey(picture, holder), MADE, never);
const look = (picture: Fresh, holder: string, store = blobs) =>
  cachedCutOut(store, { ...picture, outputKey: cutOutKey(picture, holder) }, never);
const exists = async (key: string) => (await blobs.head(key)) !== undefined;

describe('a cut-out', () => {
  test('nobody has had is not there, and its key is told', async () => {
    const picture = fresh();
    const found = await look(picture, 'job_1');
    expect(found).toBeUndefined();
  });

  test('is found again by its own holder, as it was made', async () => {
    const picture = fresh();
    const cutout = await make(picture, 'job_1');
    expect(cutout).toMatchObject({ bytes: 5, width: 2, height: 3, confidence: 0.5 });
    const found = await look(picture, 'job_1');
    expect(found).toEqual(cutout);
  });

  test('of another holder is copied, and outlives the other', async () => {
    const picture = fresh();
    const cutout = await make(picture, 'job_1');
    const found = await look(picture, 'batch_2');
    expect(found).toEqual(cutout);
    await blobs.delete(cutOutKey(picture, 'job_1'));
    expect(await look(picture, 'job_3')).toEqual(cutout);
    expect(Buffer.from(await blobs.get(cutOutKey(picture, 'batch_2'))).toString()).toBe('a png');
  });

  const others: [what: string, change: Partial<Fresh>][] = [
    ['client', { client: 'other' }],
    ['image', { sha256: 'f'.repeat(64) }],
    ['model', { model: 'm@2' }],
    ['options', { options: { quality: 'high' } }],
  ];
  test.each(others)('of another %s is not taken', async (_, change) => {
    const picture = fresh();
    await make(picture, 'job_1');
    expect(await look({ ...picture, ...change }, 'job_2')).toBeUndefined();
  });
});

/** A store in which a listed copy is deleted before it can be copied. */
const vanishing = (key: string): Blobs => ({
  ...blobs,
  async copy(from, to, signal) {
    if (from === key) await blobs.delete(key);
    await blobs.copy(from, to, signal);
  },
});

describe('a copy that vanishes at that moment', () => {
  test('means that the cut-out has to be made', async () => {
    const picture = fresh();
    await make(picture, 'job_1');
    const found = await look(picture, 'job_2', vanishing(cutOutKey(picture, 'job_1')));
    expect(found).toBeUndefined();
    expect(await exists(cutOutKey(picture, 'job_2'))).toBe(false);
  });

  test('leaves those of others', async () => {
    const picture = fresh();
    const cutout = await make(picture, 'job_1');
    await make(picture, 'job_2');
    for await (const { key } of blobs.list(cutOutPrefix(picture))) {
      expect(await look(picture, 'job_3', vanishing(key))).toEqual(cutout);
      break;
    }
  });
});
