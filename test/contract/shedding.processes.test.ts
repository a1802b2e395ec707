import { expect, test } from 'vitest';
import { postImage } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { intakeClient } from '../support/intake.ts';
import { useStack } from '../support/use-stack.ts';

/** Less than a picture of 50 megapixels takes: predicted by its time, every request would miss the deadline. */
const SYNC_TIMEOUT_SECONDS = 1.5;

const { stack } = await useStack({ SYNC_TIMEOUT_SECONDS: String(SYNC_TIMEOUT_SECONDS) });

/** Returns the values of a metric of the gateway, by its labels. */
async function metric(name: string): Promise<Record<string, number>> {
  const lines = (await (await fetch(`${stack.url}/metrics`)).text()).split('\n');
  const values = lines.flatMap((line) => {
    const [, labels, value] = new RegExp(`^${name}(\\S*) (\\S+)$`).exec(line) ?? [];
    return value === undefined ? [] : [[labels, Number(value)]];
  });
  return Object.fromEntries(values);
}

test('an asynchronous picture of 50 megapixels does not price the small ones', async () => {
  const { key } = await stack.key();
  const intake = intakeClient(stack, key);
  const huge = await drawnShirt({ width: 7071, height: 7071, format: 'jpeg' });
  const small = await drawnShirt({ width: 64, height: 64, format: 'jpeg' });
  const accepted = await intake.post(huge, { options: '{"quality":"high"}' });
  expect(accepted.status).toBe(202);
  await intake.until(((await accepted.json()) as { id: string }).id, 'succeeded');
  // By the heartbeat after it.
  const imageSeconds = () => metric('selvage_predicted_image_seconds');
  const hasLearned = async () =>
    Object.values(await imageSeconds()).some((seconds) => seconds > SYNC_TIMEOUT_SECONDS);
  await expect.poll(hasLearned).toBe(true);

  // A busy machine may need longer than the deadline; nothing may be rejected at once.
  await expect.poll(async () => (await postImage(stack, small, { key })).status).toBe(200);
  expect(await metric('selvage_sync_rejections_total')).toEqual({});
  expect(await metric('selvage_predicted_queue_seconds')).toEqual({ '': 0 });
});
