import sharp from 'sharp';
import { expect, test } from 'vitest';
import { uploadedRow } from '../support/batches.ts';
import { formWith, postForm } from '../support/client.ts';
import { drawnShirtOnWood } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack, key, intake, batches } = await useSharedStack();
const shirt = await drawnShirtOnWood({ width: 300, height: 360, format: 'jpeg' });

async function cutOut(quality?: string): Promise<Buffer> {
  const response = await postForm(stack, formWith({ image: shirt, quality }), { key });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const rgba = (png: Uint8Array): Promise<Buffer> => sharp(png).ensureAlpha().raw().toBuffer();

test('fast, balanced and high differ, and only at the edges', async () => {
  const [byDefault, balanced, fast, high] = await Promise.all(
    [undefined, 'balanced', 'fast', 'high'].map(cutOut),
  );
  if (!byDefault || !balanced || !fast || !high) throw new Error('there must be four images');
  expect(balanced.equals(byDefault)).toBe(true);
  expect(fast.equals(byDefault)).toBe(false);
  const refined = await rgba(byDefault);
  for (const other of [await rgba(fast), await rgba(high)]) {
    const different = refined.filter((value, i) => i % 4 === 3 && value !== other[i]).length;
    expect(different).toBeGreaterThan(0);
    expect(different).toBeLessThan(0.1 * (refined.length / 4));
  }
});

const _UNKNOWN = { status: 400, type: 'invalid-request' };

async function done(options?: object) {
  const imageBase64 = shirt.toString('base64');
  const accepted = await readJob(
    await intake.postJson({ imageBase64, ...(options && { options }) }),
  );
  const job = await intake.until(accepted.id, 'succeeded');
  const png = Buffer.from(await (await intake.result(job.id)).arrayBuffer());
  return { job, png };
}

test('jobs with the same image and another quality have other results', async () => {
  const byDefault = await done();
  const high = await done({ quality: 'high' });
  expect(byDefault.job).not.toHaveProperty('options');
  expect(high.job).toMatchObject({ options: { quality: 'high' } });
  expect(high.png.equals(await cutOut('high'))).toBe(true);
  expect(byDefault.png.equals(await cutOut())).toBe(true);
  const named = await done({ quality: 'balanced' });
  expect(named.job.results?.cutout?.sha256).toBe(byDefault.job.results?.cutout?.sha256);
});

test('the rows of a batch have the quality of the batch', async () => {
  const options = { quality: 'high' };
  const id = await batches.completed(uploadedRow('shirt', shirt), { options });
  expect(await batches.get(id)).toMatchObject({ options });
  const [line] = await batches.lines(id, 'results');
  const high = await done({ quality: 'high' });
  const expected = { status: 'succeeded', cutout: { sha256: high.job.results?.cutout?.sha256 } };
  expect(line).toMatchObject(expected);
});
