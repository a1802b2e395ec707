import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postImage } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { intakeClient, readJob } from '../support/intake.ts';
import { type RedisForm, startCluster, startSentinels, startTls } from '../support/redis-forms.ts';
import { type Stack, startStack } from '../support/stack.ts';

describe.each([
  ['Sentinels', startSentinels],
  ['a cluster', startCluster],
  ['TLS of an own authority', startTls],
])('a service whose Redis is behind %s', (_name, start) => {
  let redis: RedisForm;
  let stack: Stack;
  let key: string;
  let image: Buffer;
  beforeAll(async () => {
    redis = await start();
    stack = await startStack(redis.settings);
    key = (await stack.key()).key;
    image = await drawnShirt({ width: 300, height: 300, format: 'jpeg' });
  });
  afterAll(async () => {
    await stack?.stop();
    await redis?.stop();
  });

  const removal = () => postImage(stack, image, { key }).then(({ status }) => status);

  test('removes backgrounds, and goes on when the primary is lost', async () => {
    const jobs = intakeClient(stack, key);
    const inBackground = async () =>
      jobs.until((await readJob(await jobs.post(image))).id, 'succeeded');
    expect(await removal()).toBe(200);
    await inBackground();
    await redis.killPrimary();
    await expect.poll(removal).toBe(200);
    await inBackground();
  });
});
