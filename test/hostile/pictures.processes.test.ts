import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRandom } from '../faults/random.ts';
import { formOf, postForm } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { useStack } from '../support/use-stack.ts';
import {
  craftImages,
  damageImage,
  drawValidImages,
  type MaliciousImage,
} from './malicious-images.ts';

/** The statuses an invalid image may get. */
const REJECTIONS = [400, 413, 415, 422];
const SEED = 20_261_122;
const DAMAGED = 200;
/** Images processed at once: few enough that none is shed. */
const CONCURRENCY = 3;

const { stack, key } = await useStack({
  MAX_IMAGE_PIXELS: '4000000',
  SYNC_TIMEOUT_SECONDS: '120',
});
const valid = await drawValidImages();

const children = (pid: number): string =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();

const ProblemBody = z.looseObject({ type: z.string(), detail: z.string(), requestId: z.string() });

/** Sends an image; returns what is wrong with the response, if anything. */
async function errorOf({ what, bytes }: MaliciousImage): Promise<string | undefined> {
  const response = await postForm(stack, formOf(['image', bytes, 'photo.jpg']), { key });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status === 200) {
    const isPng = body.subarray(1, 4).toString('latin1') === 'PNG';
    return isPng ? undefined : `${what}: 200 without a picture`;
  }
  if (!REJECTIONS.includes(response.status)) return `${what}: ${response.status} ${body}`;
  const problem = ProblemBody.safeParse(JSON.parse(body.toString()));
  return problem.success ? undefined : `${what}: ${response.status} without a problem`;
}

async function errorsOf(pictures: readonly MaliciousImage[]): Promise<string[]> {
  const rest = pictures.values();
  const errors: string[] = [];
  const worker = async () => {
    for (const picture of rest) errors.push(...[(await errorOf(picture)) ?? []].flat());
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return errors;
}

test('every kind of valid image is cut out', async () => {
  expect(valid).toHaveLength(16);
  for (const { what, bytes } of valid) {
    const response = await postForm(stack, formOf(['image', bytes, 'a.jpg']), { key });
    expect(response.status, what).toBe(200);
    await response.arrayBuffer();
  }
});

test('images made to break a decoder are cut out or rejected, and no process dies', async () => {
  const before = children(stack.worker.pid);
  expect(before).not.toBe('');
  expect(await errorsOf(await craftImages(valid))).toEqual([]);
  const random = createRandom(SEED);
  const damaged = Array.from({ length: DAMAGED }, () => damageImage(valid, random));
  expect(await errorsOf(damaged)).toEqual([]);
  expect(children(stack.worker.pid)).toBe(before);
  const whole = await drawnShirt({ width: 64, height: 64, format: 'webp' });
  expect(await errorOf({ what: 'a shirt', bytes: whole })).toBeUndefined();
});
