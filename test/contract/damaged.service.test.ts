import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formOf, postForm, postImage } from '../support/client.ts';
import { drawnShirtOnWood } from '../support/images.ts';
import { intakeClient, readJob } from '../support/intake.ts';
import { type SharedStack, shareStack } from '../support/shared-stack.ts';

let stack: SharedStack;
let key: string;
const half = readFileSync('test/fixtures/damaged/half-with-eoi.jpg');
let coarse: Buffer;
beforeAll(async () => {
  stack = await shareStack();
  ({ key } = await stack.key());
  const shirt = await drawnShirtOnWood({ width: 480, height: 600, format: 'png' });
  const jpeg = await sharp(shirt).jpeg({ progressive: true }).toBuffer();
  const lastScan = jpeg.lastIndexOf('ffda', undefined, 'hex');
  coarse = Buffer.concat([jpeg.subarray(0, lastScan), Buffer.from('ffd9', 'hex')]);
});
afterAll(() => stack.stop());

/** What is wrong with `half`. */
const DAMAGED = expect.stringMatching(/^The image is damaged from row 5\d\d of 1000 on/);
const PROBLEM = { type: 'invalid-request', status: 400, detail: DAMAGED };

test('rows are missing: every door that shows pixels says from which one on', async () => {
  const removal = await postImage(stack, half, { key });
  expect(await removal.json()).toMatchObject(PROBLEM);
  const intake = intakeClient(stack, key);
  const { id } = await readJob(await intake.post(half));
  expect(await intake.until(id, 'failed')).toMatchObject({
    problem: { type: 'invalid-request', detail: DAMAGED },
  });
  const garments = await fetch(`${stack.url}/taxonomy/v1/garments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ image_base64: half.toString('base64') }),
  });
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
