import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createRandom } from '../faults/random.ts';
import { formOf, postForm } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { type Stack, startStack } from '../support/stack.ts';
import {
  craftedPictures,
  damagedPicture,
  type Poison,
  type Sound,
  soundPictures,
} from './poison.ts';

/** What may be answered to a picture that is no good. */
const REFUSALS = [400, 413, 415, 422];
const SEED = 20_261_122;
const DAMAGED = 200;
/** In the works at once: fewer than would be turned away. */
const LANES = 3;

let stack: Stack;
let key: string;
let sound: Sound[];
beforeAll(async () => {
  stack = await startStack({ MAX_IMAGE_PIXELS: '4000000', SYNC_TIMEOUT_SECONDS: '120' });
  ({ key } = await stack.key());
  sound = await soundPictures();
});
afterAll(() => stack.stop());

const children = (pid: number): string =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();

const Refusal = z.looseObject({ type: z.string(), detail: z.string(), requestId: z.string() });

/** Sends a picture and answers what is wrong with the answer, or nothing. */
async function faultOf({ what, bytes }: Poison): Promise<string | undefined> {
  const response = await postForm(stack, formOf(['image', bytes, 'photo.jpg']), { key });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status === 200) {
    const isPng = body.subarray(1, 4).toString('latin1') === 'PNG';
    return isPng ? undefined : `${what}: 200 without a picture`;
  }
  if (!REFUSALS.includes(response.status)) return `${what}: ${response.status} ${body}`;
  const refusal = Refusal.safeParse(JSON.parse(body.toString()));
  return refusal.success ? undefined : `${what}: ${response.status} without a problem`;
}

async function faultsOf(pictures: readonly Poison[]): Promise<string[]> {
  const rest = pictures.values();
  const faults: string[] = [];
  const lane = async () => {
    for (const picture of rest) faults.push(...[(await faultOf(picture)) ?? []].flat());
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return faults;
}

test('every kind of sound picture is cut out', async () => {
  for (const { what, bytes } of sound) {
    const response = await postForm(stack, formOf(['image', bytes, 'a.jpg']), { key });
    expect(response.status, what).toBe(200);
    await response.arrayBuffer();
  }
});

test('pictures made to break a decoder are cut out or refused, by the same processes all along', async () => {
  const before = children(stack.worker.pid);
  expect(before).not.toBe('');
  expect(await faultsOf(await craftedPictures(sound))).toEqual([]);
  const random = createRandom(SEED);
  const damaged = Array.from({ length: DAMAGED }, () => damagedPicture(sound, random));
  expect(await faultsOf(damaged)).toEqual([]);
  expect(children(stack.worker.pid)).toBe(before);
  const whole = await drawnShirt({ width: 64, height: 64, format: 'webp' });
  expect(await faultOf({ what: 'a shirt', bytes: whole })).toBeUndefined();
});

/** What an image may be, and is not taken as one here: first bytes are enough to tell. */
const OTHERS: Readonly<Record<string, string>> = {
  GIF: '474946383961',
  'TIFF, little-endian': '49492a0008000000',
  'TIFF, big-endian': '4d4d002a00000008',
  AVIF: '0000002066747970617669660000000061766966',
  HEIC: '0000001866747970686569630000000068656963',
  BMP: '424d36000000',
  ICO: '00000100010010100000',
  'JPEG XL': 'ff0a',
  'JPEG XL in a box': '0000000c4a584c200d0a870a',
  'JPEG 2000': '0000000c6a5020200d0a870a',
  PSD: '3842505300010000',
  PDF: '255044462d312e37',
  SVG: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('hex'),
  'a playlist of ImageMagick': Buffer.from('push graphic-context\nurl(|id)').toString('hex'),
  EXR: '762f3101',
  FITS: Buffer.from('SIMPLE  =                    T').toString('hex'),
  'RIFF that is no WebP': '524946460000000057415645',
  'a matrix of libvips': Buffer.from('2 2\n1 2\n3 4\n').toString('hex'),
};

test.each(Object.entries(OTHERS))('%s is refused by its first bytes', async (_, hex) => {
  const bytes = Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(64)]);
  const response = await postForm(stack, formOf(['image', bytes, 'photo.png']), { key });
  expect(response.status).toBe(415);
});
