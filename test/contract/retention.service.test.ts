import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { ClientRetention, type Retention } from '../../src/auth/client-retention.ts';
import { batchClient, rowOf } from '../support/batches.ts';
import { postImage } from '../support/client.ts';
import { feedClient } from '../support/feed-client.ts';
import { drawnShirt } from '../support/images.ts';
import { intakeClient, type Job, readJob } from '../support/intake.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack } = await useSharedStack();
const shirt = await drawnShirt({ width: 210, height: 200, format: 'jpeg' });
const redis = new Redis(stack.redis.url);
afterAll(() => redis.disconnect());

let clients = 0;
/** Creates a key of a new client, with the operator's policies for the key and for the client. */
async function keyWith({ key = {}, client = {} }: { key?: Retention; client?: Retention }) {
  const made = await stack.key({ client: `client-${++clients}`, retention: key });
  await new ClientRetention(redis).set(made.record.client, client);
  return made.key;
}
const secondsRetained = ({ finishedAt = '', expiresAt }: Pick<Job, 'finishedAt' | 'expiresAt'>) =>
  Math.round((Date.parse(expiresAt) - Date.parse(finishedAt)) / 1000);

describe('results are retained for the shortest time of a request, its key and its client:', () => {
  test.each([
    ['the request', {}, 120, 120],
    ['its key', { key: { outputSeconds: 90 } }, 120, 90],
    ['its client', { key: { outputSeconds: 90 }, client: { outputSeconds: 70 } }, 120, 70],
  ])('%s', async (_, policies, outputSeconds, seconds) => {
    const intake = intakeClient(stack, await keyWith(policies));
    const retention = JSON.stringify({ outputSeconds });
    const job = await readJob(await intake.post(shirt, { retention }));
    expect(secondsRetained(await intake.until(job.id, 'succeeded'))).toBe(seconds);
  });

  test('results are deleted in time, and so are the records of their jobs', async () => {
    const policy = { outputSeconds: 1, recordSeconds: 1 };
    const intake = intakeClient(stack, await keyWith({ key: policy }));
    const { id } = await intake.done(shirt);
    const read = async () => {
      const [job, result] = [await intake.ask('GET', `/jobs/${id}`), await intake.result(id)];
      return [job, result].map((response) => response.status);
    };
    await expect.poll(read).toEqual([410, 410]);
    await expect.poll(read).toEqual([404, 404]);
  });
});

test('a batch that was never sealed is deleted with its inputs', async () => {
  const batches = batchClient(stack, await keyWith({ key: { inputSeconds: 2 } }));
  const id = await batches.open();
  await batches.send(id, rowOf('a'));
  const read = () => batches.ask('GET', `/batches/${id}`);
  await expect.poll(async () => (await read()).status).toBe(410);
  expect(await (await read()).json()).toMatchObject({
    type: 'gone',
    detail: 'This batch has expired',
    expiredAt: expect.any(String),
  });
  expect((await batches.ask('GET', `/batches/${id}/manifest`)).status).toBe(410);
});

test('a key without retention can only remove backgrounds synchronously, and gets a reason for everything else', async () => {
  const key = await keyWith({ client: { store: 'none' } });
  expect((await postImage(stack, shirt, { key })).status).toBe(200);
  const answers = [
    await intakeClient(stack, key).post(shirt),
    await batchClient(stack, key).create(),
    await feedClient(stack, key).postJson({ url: 'https://shop.example/feed.csv' }),
  ];
  for (const answer of answers) {
    expect(await answer.json()).toMatchObject({
      type: 'conflict',
      status: 409,
      detail: expect.stringContaining('/bg/v1/background-removals'),
    });
  }
  for (const kind of ['jobs', 'batches', 'feeds']) {
    const list = await intakeClient(stack, key).ask('GET', `/${kind}`);
    expect(await list.json()).toEqual({ [kind]: [] });
  }
});
