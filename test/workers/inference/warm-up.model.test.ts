import sharp from 'sharp';
import { expect, test } from 'vitest';
import { drawShirt, warmUp } from '../../../workers/inference/task-runner.ts';

const nothing = { result: {}, batchSize: 1 };

test('a picture is cut out a few times while there is no work', async () => {
  const images: Uint8Array[] = [];
  const run = async (_: unknown, image: Uint8Array) => {
    images.push(image);
    return nothing;
  };
  await warmUp(run, () => false, 0);
  expect(images).toHaveLength(5);
  expect(await sharp(images[4]).metadata()).toMatchObject({ format: 'jpeg', width: 400 });
});

test('work ends it', async () => {
  let runs = 0;
  const run = async () => {
    runs++;
    return nothing;
  };
  await warmUp(run, () => runs === 2, 0);
  expect(runs).toBe(2);
});

test('the shirt stands out from the wall, with soft edges', async () => {
  const { data, info } = await sharp(await drawShirt())
    .raw()
    .toBuffer({ resolveWithObject: true });
  const red = (x: number, y: number) => data[info.channels * (y * info.width + x)]!;
  expect(red(200, 240)).toBeLessThan(90);
  expect(red(20, 20)).toBeGreaterThan(180);
  const across = Array.from({ length: 20 }, (_, i) => red(110 + i, 300));
  expect(across.some((value) => value > 90 && value < 180)).toBe(true);
});
