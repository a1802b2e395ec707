import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { cutOutKey, cutOutPrefix } from '../../../src/storage/blob-keys.ts';
import type { Blobs } from '../../../src/storage/blobs.ts';
import { cachedCutOut, storeCutOut } from '../../../workers/images/cached-cut-out.ts';
import { useBlobs } from '../../support/use-blobs.ts';

const blobs = await useBlobs();

const never = new AbortController().signal;
let images = 0;
/** Cache inputs of a new image. */
const newImage = () => ({
  client: 'acme',
  sha256: String(++images).padStart(64, '0'),
  model: 'm@1',
  options: {},
});
type Image = ReturnType<typeof newImage>;

const CUT_OUT = {
  file: Buffer.from('a png'),
  width: 2,
  height: 3,
  mediaType: 'image/png' as const,
  foreground: { left: 0, top: 1, width: 2, height: 1 },
  model: 'm@1',
  confidence: 0.5,
  review: { needed: true, reasons: ['low-confidence', 'cut-by-frame'] },
};
const store = (image: Image, owner: string) =>
  storeCutOut(blobs, cutOutKey(image, owner), CUT_OUT, never);
const find = (image: Image, owner: string, storage = blobs) =>
  cachedCutOut(storage, { ...image, outputKey: cutOutKey(image, owner) }, never);
const exists = async (key: string) => (await blobs.head(key)) !== undefined;

describe('a cut-out', () => {
  test('that was never made is not found', async () => {
    const image = newImage();
    const found = await find(image, 'job_1');
    expect(found).toBeUndefined();
  });

  test('is found again by its owner, unchanged', async () => {
    const image = newImage();
    const cutout = await store(image, 'job_1');
    expect(cutout).toMatchObject({ bytes: 5, width: 2, height: 3, confidence: 0.5 });
    const found = await find(image, 'job_1');
    expect(found).toEqual(cutout);
  });

  test.each([
    { review: { needed: false, reasons: ['cut-by-frame'] } },
    { review: { needed: false, reasons: [] } },
    { review: undefined },
  ])('is found again with its review: %j', async ({ review }) => {
    const image = newImage();
    const reviewed = { ...CUT_OUT, review };
    const cutout = await storeCutOut(blobs, cutOutKey(image, 'job_1'), reviewed, never);
    expect(cutout.review).toEqual(review);
    expect(await find(image, 'job_1')).toEqual(cutout);
  });

  test('of another owner is copied, and outlives the original', async () => {
    const image = newImage();
    const cutout = await store(image, 'job_1');
    const found = await find(image, 'batch_2');
    expect(found).toEqual(cutout);
    await blobs.delete(cutOutKey(image, 'job_1'));
    expect(await find(image, 'job_3')).toEqual(cutout);
    expect(Buffer.from(await blobs.get(cutOutKey(image, 'batch_2'))).toString()).toBe('a png');
  });

  test('that is damaged is made anew, not copied', async () => {
    const image = newImage();
    await store(image, 'job_1');
    const { meta } = (await blobs.head(cutOutKey(image, 'job_1')))!;
    const flipped = { mediaType: 'image/png', meta };
    await blobs.put(cutOutKey(image, 'job_1'), Buffer.from('a pnG'), flipped);
    expect(await find(image, 'job_1')).toBeUndefined();
    expect(await find(image, 'job_2')).toBeUndefined();
    expect(await exists(cutOutKey(image, 'job_2'))).toBe(false);
    const cutout = await store(image, 'job_2');
    expect(await find(image, 'job_3')).toEqual(cutout);
  });

  const others: [what: string, change: Partial<Image>][] = [
    ['client', { client: 'other' }],
    ['image', { sha256: 'f'.repeat(64) }],
    ['model', { model: 'm@2' }],
    ['options', { options: { quality: 'high' } }],
  ];
  test.each(others)('of another %s is not used', async (_, change) => {
    const image = newImage();
    await store(image, 'job_1');
    expect(await find({ ...image, ...change }, 'job_2')).toBeUndefined();
  });
});

/** Storage in which a listed blob is deleted before it can be copied. */
const vanishing = (key: string): Blobs => ({
  ...blobs,
  async copy(from, to, signal) {
    if (from === key) await blobs.delete(key);
    await blobs.copy(from, to, signal);
  },
});

describe('a blob that disappears before the copy', () => {
  test('is a cache miss', async () => {
    const image = newImage();
    await store(image, 'job_1');
    const found = await find(image, 'job_2', vanishing(cutOutKey(image, 'job_1')));
    expect(found).toBeUndefined();
    expect(await exists(cutOutKey(image, 'job_2'))).toBe(false);
  });

  test('is skipped: another one is used', async () => {
    const image = newImage();
    const cutout = await store(image, 'job_1');
    await store(image, 'job_2');
    const [first] = await Readable.from(blobs.list(cutOutPrefix(image))).toArray();
    if (!first) throw new Error('no blob is listed');
    expect(await find(image, 'job_3', vanishing(first.key))).toEqual(cutout);
    expect(await exists(first.key)).toBe(false);
  });
});
