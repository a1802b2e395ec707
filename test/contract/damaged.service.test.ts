import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { formOf, postForm, postImage } from '../support/client.ts';
import { drawnShirtOnWood } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { useSharedStack } from '../support/use-stack.ts';

const half = readFileSync('test/fixtures/damaged/half-with-eoi.jpg');
const { stack, key, intake, postJson } = await useSharedStack();
const shirt = await drawnShirtOnWood({ width: 480, height: 600, format: 'png' });
const jpeg = await sharp(shirt).jpeg({ progressive: true }).toBuffer();
const lastScan = jpeg.lastIndexOf('ffda', undefined, 'hex');
const coarse = Buffer.concat([jpeg.subarray(0, lastScan), Buffer.from('ffd9', 'hex')]);

/** What is wrong with `half`. */
const DAMAGED = expect.stringMatching(/^The image is damaged from row 5\d\d of 1000 on/);
const PROBLEM = { type: 'invalid-request', status: 400, detail: DAMAGED };

test('rows are missing: every door that shows pixels says from which one on', async () => {
  const removal = await postImage(stack, half, { key });
  expect(await removal.json()).toMatchObject(PROBLEM);
  const { id } = await readJob(await intake.post(half));
  const expected = { problem: { type: 'invalid-request', detail: DAMAGED } };
  expect(await intake.until(id, 'failed')).toMatchObject(expected);
  const image_base64 = half.toString('base64');
  const garments = await postJson('/taxonomy/v1/garments', { image_base64 });
  expect(await garments.json()).toMatchObject(PROBLEM);
});

test('a background of which rows are missing is blamed', async () => {
  const form = formOf(['image', coarse, 'a.jpg'], ['backgroundImage', half, 'b.jpg']);
  expect(await (await postForm(stack, form, { key })).json()).toMatchObject({
    status: 400,
    detail: expect.stringMatching(/^The background image is damaged from row/),
    errors: [{ pointer: '/backgroundImage' }],
  });
});

test('all rows are there, but coarse: the cut-out asks for a look', async () => {
  const response = await postImage(stack, coarse, { key });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-cutout-review-needed')).toBe('true');
  expect(response.headers.get('x-cutout-review')).toContain('damaged');
  await response.arrayBuffer();
});
