import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { expectProblem } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { type IntakeClient, intakeClient, readJob } from '../support/intake.ts';
import { fail, serve } from '../support/servers.ts';
import { useSharedStack } from '../support/use-stack.ts';
import { plantReceiver, verify } from '../support/webhook-receiver.ts';

const { stack } = await useSharedStack();
const shirt = await drawnShirt({ width: 200, height: 250, format: 'jpeg' });

let clients = 0;
/** A new client. */
async function newClient(): Promise<IntakeClient> {
  const { key } = await stack.key({ client: `shop-${++clients}` });
  return intakeClient(stack, key);
}

const Secret = z.object({
  secret: z.string(),
  createdAt: z.string(),
  previousExpiresAt: z.string().optional(),
});
const Delivery = z.looseObject({
  id: z.string(),
  status: z.string(),
  attempts: z.array(
    z.looseObject({ status: z.number().optional(), reason: z.string().optional() }),
  ),
  event: z.looseObject({ data: z.looseObject({ id: z.string() }) }),
  links: z.object({ self: z.string(), replay: z.string() }),
});
const Deliveries = z.object({ deliveries: z.array(Delivery) });
const Standing = z.object({
  secrets: z.array(z.looseObject({ prefix: z.string(), expiresAt: z.string().optional() })),
  disabledUrls: z.array(z.string()),
});

async function createSecret(intake: IntakeClient): Promise<z.infer<typeof Secret>> {
  const response = await intake.ask('POST', '/webhooks/secret');
  expect(response.status).toBe(201);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return Secret.parse(await response.json());
}

const standing = async (intake: IntakeClient) =>
  Standing.parse(await (await intake.ask('GET', '/webhooks')).json());

const deliveries = async (intake: IntakeClient, query = '') => {
  const response = await intake.ask('GET', `/webhooks/deliveries${query}`);
  return Deliveries.parse(await response.json()).deliveries;
};

/** Uploads an image; returns the job's id and the name of the event that follows. */
async function handIn(intake: IntakeClient, url: string, image = shirt) {
  const response = await intake.post(image, { webhook: JSON.stringify({ url }) });
  expect(response.status).toBe(202);
  const job = await readJob(response);
  expect(job).toMatchObject({ webhook: { url } });
  return job.id;
}

describe('the end of a job', () => {
  test('is reported in a signed event with links to the result', async () => {
    const intake = await newClient();
    const { secret } = await createSecret(intake);
    const { url, messages } = await plantReceiver(serve('thanks'));
    const id = await handIn(intake, url);
    await expect.poll(() => messages.length).toBe(1);
    const event = verify(secret, messages[0]);
    expect(event).toEqual({
      type: 'job.succeeded',
      timestamp: (await intake.get(id)).finishedAt,
      data: { id, status: 'succeeded', links: (await intake.get(id)).links },
    });
    expect(messages[0]?.headers['user-agent']).toMatch(/^Selvage\/\d/);
    await expect.poll(async () => (await deliveries(intake))[0]?.status).toBe('delivered');
    const [delivery] = await deliveries(intake);
    expect(delivery).toMatchObject({
      id: messages[0]?.headers['webhook-id'],
      url,
      type: 'job.succeeded',
      event,
      attempts: [{ status: 200 }],
    });
    const logs = await stack.logs();
    expect(logs).toContain(delivery?.id);
    for (const hidden of [secret, secret.slice(6), 'CANARY']) expect(logs).not.toContain(hidden);
  });

  test('is reported if the job fails, also for a JSON body', async () => {
    const intake = await newClient();
    const { secret } = await createSecret(intake);
    const { url, messages } = await plantReceiver(serve('thanks'));
    const imageBase64 = shirt.subarray(0, 2000).toString('base64');
    const response = await intake.postJson({ imageBase64, webhook: { url } });
    expect(response.status).toBe(202);
    await expect.poll(() => messages.length).toBe(1);
    const expected = { type: 'job.failed', data: { status: 'failed' } };
    expect(verify(secret, messages[0])).toMatchObject(expected);
  });

  test('needs a secret to sign it with', async () => {
    const intake = await newClient();
    const fields = { webhook: '{"url":"https://shop.example/"}' };
    const problem = await expectProblem(await intake.post(shirt, fields), 'conflict');
    const expected = { detail: expect.stringContaining('POST /intake/v1/webhooks/secret') };
    expect(problem).toMatchObject(expected);
    await createSecret(intake);
    const other = await newClient();
    await expectProblem(await other.post(shirt, fields), 'conflict');
    expect((await intake.post(shirt, fields)).status).toBe(202);
  });

  test.each([
    ['no address of the web', 'ftp://a.example/'],
    ['an address with credentials', 'https://user:pass@a.example/'],
    ['an address of 2,068 characters', `https://a.example/${'x'.repeat(2050)}`],
    ['no address', 'here'],
  ])('cannot be sent to %s', async (_, url) => {
    const intake = await newClient();
    await createSecret(intake);
    const imageBase64 = shirt.toString('base64');
    const response = await intake.postJson({ imageBase64, webhook: { url } });
    const errors = [{ pointer: '/webhook/url' }];
    expect(await expectProblem(response, 'invalid-request')).toMatchObject({ errors });
  });

  test('is rejected with a pointer if webhook is only a URL', async () => {
    const response = await (await newClient()).post(shirt, { webhook: 'https://a.example/' });
    const errors = [{ pointer: '/webhook' }];
    expect(await expectProblem(response, 'invalid-request')).toMatchObject({ errors });
  });

  test('sent to another URL is another request to an Idempotency-Key', async () => {
    const intake = await newClient();
    await createSecret(intake);
    const { url } = await plantReceiver(serve('thanks'));
    const headers = { 'idempotency-key': 'k' };
    const first = await intake.post(shirt, { webhook: JSON.stringify({ url }) }, headers);
    const { id } = await readJob(first);
    const second = await intake.post(shirt, { webhook: JSON.stringify({ url }) }, headers);
    expect((await readJob(second)).id).toBe(id);
    const other = { webhook: JSON.stringify({ url: `${url}2` }) };
    await expectProblem(await intake.post(shirt, other, headers), 'idempotency-mismatch');
    await expectProblem(await intake.post(shirt, {}, headers), 'idempotency-mismatch');
  });
});

test('secrets are shown once, and two sign during a rotation', async () => {
  const intake = await newClient();
  expect(await standing(intake)).toEqual({ secrets: [], disabledUrls: [] });
  const first = await createSecret(intake);
  const second = await createSecret(intake);
  expect(first.previousExpiresAt).toBeUndefined();
  const { secrets } = await standing(intake);
  expect(secrets).toEqual([
    { prefix: second.secret.slice(0, 12), createdAt: second.createdAt },
    {
      prefix: first.secret.slice(0, 12),
      createdAt: first.createdAt,
      expiresAt: second.previousExpiresAt,
    },
  ]);
  const { url, messages } = await plantReceiver(serve('thanks'));
  await handIn(intake, url);
  await expect.poll(() => messages.length).toBe(1);
  for (const { secret } of [first, second]) expect(verify(secret, messages[0])).toBeDefined();
});

test('a secret requested again under one Idempotency-Key is the same', async () => {
  const intake = await newClient();
  const headers = { 'idempotency-key': 'once' };
  const [first, second] = [
    await intake.ask('POST', '/webhooks/secret', { headers }),
    await intake.ask('POST', '/webhooks/secret', { headers }),
  ];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(await second.json()).toEqual(await first.json());
  expect((await standing(intake)).secrets).toHaveLength(1);
});

describe('deliveries', () => {
  test('stop at 410, and can be sent again', async () => {
    const intake = await newClient();
    const { secret } = await createSecret(intake);
    const { url, messages } = await plantReceiver(fail(410), serve('thanks'));
    const rejected = await handIn(intake, url);
    await expect.poll(async () => (await standing(intake)).disabledUrls).toEqual([url]);
    await expect.poll(() => deliveries(intake, '?status=failed')).toHaveLength(1);
    await handIn(intake, url);
    await expect.poll(() => deliveries(intake, '?status=dropped')).toHaveLength(1);
    expect(messages).toHaveLength(1);
    expect((await deliveries(intake)).map(({ status }) => status)).toEqual(['dropped', 'failed']);
    expect(await deliveries(intake, '?limit=1')).toMatchObject([{ status: 'dropped' }]);

    const [failed] = await deliveries(intake, '?status=failed');
    expect(failed?.event.data.id).toBe(rejected);
    const path = failed?.links.replay.replace('/intake/v1', '') ?? '';
    const response = await intake.ask('POST', path);
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ id: failed?.id, event: failed?.event });
    await expect.poll(() => deliveries(intake, '?status=delivered')).toHaveLength(1);
    expect(messages.map(({ headers }) => headers['webhook-id'])).toEqual([failed?.id, failed?.id]);
    expect(verify(secret, messages[1])).toEqual(failed?.event);
    expect((await standing(intake)).disabledUrls).toEqual([]);
  });

  const QUERIES = ['?status=lost', '?limit=0', '?limit=1001', '?limit=many'];
  test.each(QUERIES)('are not listed by %s', async (query) => {
    const intake = await newClient();
    const response = await intake.ask('GET', `/webhooks/deliveries${query}`);
    await expectProblem(response, 'invalid-request');
  });
});
