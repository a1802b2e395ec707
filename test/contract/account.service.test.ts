import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CLIENT_SCOPES, type Grant, SCOPES } from '../../src/auth/key-record.ts';
import { PREFIX } from '../../src/platform/redis.ts';
import { keyClient, postImage } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack } = await useSharedStack();
const shirt = await drawnShirt({ width: 160, height: 200, format: 'jpeg' });

const KEYS = '/account/v1/keys';
const Answer = z.looseObject({
  id: z.string().default(''),
  key: z.string().default(''),
  type: z.string().optional(),
  detail: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  errors: z.array(z.object({ pointer: z.string() })).default([]),
  keys: z.array(z.looseObject({ id: z.string() })).default([]),
  requests: z.array(z.looseObject({})).default([]),
  entries: z.array(z.looseObject({ id: z.string(), operation: z.string() })).default([]),
  links: z.looseObject({ next: z.string().optional() }).optional(),
  days: z
    .array(
      z.object({
        date: z.string(),
        units: z.number(),
        operations: z.array(
          z.object({ operation: z.string(), requests: z.number(), units: z.number() }),
        ),
      }),
    )
    .default([]),
});

/** A new client. */
async function newClient(grant: Partial<Grant> = {}) {
  const client = `account-${randomUUID().slice(0, 8)}`;
  const made = await stack.key({ client, scopes: CLIENT_SCOPES, ...grant });
  return { ...made, client, id: made.record.id };
}

async function ask(
  key: string,
  method: string,
  path: string,
  body?: object,
  requestId?: string,
  once?: string,
) {
  const headers = {
    ...(requestId && { 'x-request-id': requestId }),
    ...(once && { 'idempotency-key': once }),
  };
  const response = await keyClient(stack, key).sendJson(method, path, body, headers);
  const text = await response.text();
  const isReplay = response.headers.get('idempotency-replayed') === 'true';
  return { code: response.status, isReplay, text, ...Answer.parse(JSON.parse(text)) };
}

const pointersOf = ({ errors }: { errors: { pointer: string }[] }) =>
  errors.map(({ pointer }) => pointer);

describe('a request that is repeated with its Idempotency-Key', () => {
  const redis = new Redis(stack.redis.url);
  afterAll(() => redis.disconnect());

  /** Sends a request with a key of its own, and returns how to repeat it. */
  async function once(key: string, path: string, body?: object) {
    const name = randomUUID();
    const send = (changes?: object) => ask(key, 'POST', path, changes ?? body, undefined, name);
    return { first: await send(), send };
  }
  const idsOf = async (key: string) => (await ask(key, 'GET', KEYS)).keys.map(({ id }) => id);

  /** Returns the stored answers that name something. */
  async function claimsOf(id: string) {
    const names = await redis.keys(`${PREFIX}:idempotent:*`);
    const answers = await Promise.all(
      names.map((name) => redis.hget(name, 'answer').catch(() => null)),
    );
    return names.flatMap((name, i) =>
      answers[i]?.includes(id) ? [{ name, answer: answers[i] }] : [],
    );
  }

  test('creates one key, and says that its secret was shown', async () => {
    const { key, id } = await newClient();
    const { first, send } = await once(key, KEYS, { name: 'Page' });
    expect(first).toMatchObject({ code: 201, isReplay: false });
    const again = await send();
    expect(again).toMatchObject({ code: 409, type: 'conflict', id: first.id, isReplay: true });
    expect(again.detail).toContain(`POST ${KEYS}/${first.id}/rotate`);
    expect(again.text).not.toContain(first.key.slice(15));
    expect(await idsOf(key)).toEqual([id, first.id]);
    expect((await send({ name: 'Other' })).type).toBe('idempotency-mismatch');

    const rotated = await ask(key, 'POST', `${KEYS}/${first.id}/rotate`, { graceSeconds: 0 });
    expect((await ask(rotated.key, 'GET', '/intake/v1/usage')).code).toBe(200);
  });

  test('at the same time, too', async () => {
    const { key } = await newClient();
    const name = randomUUID();
    const send = () => ask(key, 'POST', KEYS, {}, undefined, name);
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ code }) => code).sort()).toEqual([201, 409, 409]);
    expect((await idsOf(key)).length).toBe(2);
  });

  test('rotates a key once, though the old one has ended', async () => {
    const { key } = await newClient();
    const { id } = await ask(key, 'POST', KEYS);
    const { first, send } = await once(key, `${KEYS}/${id}/rotate`, { graceSeconds: 0 });
    expect(await send()).toMatchObject({ code: 409, id: first.id, isReplay: true });
    expect((await idsOf(key)).slice(1)).toEqual([first.id]);
  });

  test('finds the key that a gateway made that died before it answered; nothing stored has a secret', async () => {
    const { key } = await newClient();
    const { first, send } = await once(key, KEYS);
    const [claim, ...others] = await claimsOf(first.id);
    expect(others).toEqual([]);
    expect(JSON.parse(claim?.answer ?? '').body).toEqual({ id: first.id });
    await redis.hdel(claim?.name ?? '', 'answer');
    expect(await send()).toMatchObject({ code: 409, id: first.id });
    expect((await idsOf(key)).length).toBe(2);
  });

  test('may be sent again if it was refused', async () => {
    const { key } = await newClient({ quotaPerDay: 10 });
    const { first, send } = await once(key, KEYS, { quotaPerDay: 11 });
    expect([first.code, (await send()).code]).toEqual([403, 403]);
    expect((await send({ quotaPerDay: 10 })).code).toBe(201);
  });
});

describe('keys', () => {
  test('a key is created with less, listed without its secret, used, rotated and revoked', async () => {
    const { key, id } = await newClient();
    const body = { name: 'Public page', scopes: ['taxonomy:classify'], intake: [], quotaPerDay: 5 };
    const created = await ask(key, 'POST', KEYS, body);
    expect(created).toMatchObject({ code: 201, ...body, test: false, current: false });
    const usage = await ask(created.key, 'GET', '/intake/v1/usage');
    expect(usage).toMatchObject({ code: 200, scopes: body.scopes, quota: { limit: 5 } });
    expect((await ask(created.key, 'GET', KEYS)).code).toBe(403);

    const used = async () =>
      (await ask(key, 'GET', KEYS)).keys.find((each) => each.id === created.id)?.lastUsedAt;
    await expect.poll(used).toMatch(/^\d{4}-/);
    const listed = await ask(key, 'GET', KEYS);
    const expected = [
      [id, true],
      [created.id, false],
    ];
    expect(listed.keys.map((each) => [each.id, each.current])).toEqual(expected);
    for (const secret of [key, created.key]) expect(listed.text).not.toContain(secret.slice(15));

    const rotated = await ask(key, 'POST', `${KEYS}/${created.id}/rotate`, { graceSeconds: 0 });
    expect(rotated).toMatchObject({ code: 201, name: 'Public page', quotaPerDay: 5 });
    expect((await ask(created.key, 'GET', '/intake/v1/usage')).code).toBe(401);
    expect((await ask(rotated.key, 'GET', '/intake/v1/usage')).code).toBe(200);

    const revoked = await ask(key, 'DELETE', `${KEYS}/${rotated.id}`);
    expect(revoked).toMatchObject({ code: 200, id: rotated.id, current: false });
    expect((await ask(rotated.key, 'GET', '/intake/v1/usage')).code).toBe(401);
    expect((await ask(key, 'DELETE', `${KEYS}/${rotated.id}`)).code).toBe(404);
  });

  test('by default a key is as its maker, but for scopes of operators', async () => {
    const { key, record } = await newClient({ scopes: [...SCOPES] });
    const created = await ask(key, 'POST', KEYS);
    expect(created).toMatchObject({
      code: 201,
      scopes: CLIENT_SCOPES,
      quotaPerDay: record.quotaPerDay,
      rate: record.rate,
    });
    const operator = await ask(key, 'POST', KEYS, { scopes: ['operations:access'] });
    expect(operator.code).toBe(400);
  });

  test('is counted together with its maker: a further key is no further quota', async () => {
    const { key } = await newClient({ quotaPerDay: 1, rate: { count: 6000, periodSeconds: 60 } });
    const second = await ask(key, 'POST', KEYS);
    expect((await postImage(stack, shirt, { key })).status).toBe(200);
    const expected = { quota: { limit: 1, remaining: 0 } };
    expect(await ask(second.key, 'GET', '/intake/v1/usage')).toMatchObject(expected);
  });

  test.each([
    ['/scopes', { scopes: ['look-engine:read'] }],
    ['/intake', { intake: ['webhooks'] }],
    ['/allowBase64', { allowBase64: true }],
    ['/quotaPerDay', { quotaPerDay: 101 }],
    ['/rate', { rate: { count: 100, periodSeconds: 1 } }],
    ['/rate', { rate: { count: 1000, periodSeconds: 3600 } }],
  ])('gives no more than it has: %s', async (pointer, body) => {
    const { key } = await newClient({
      scopes: ['account', 'taxonomy:classify'],
      intake: ['jobs'],
      allowBase64: false,
      quotaPerDay: 100,
      rate: { count: 100, periodSeconds: 60 },
    });
    const { code, type, ...answer } = await ask(key, 'POST', KEYS, body);
    expect([code, type, pointersOf(answer)]).toEqual([403, 'insufficient-scope', [pointer]]);
  });

  test('a key gets hold of no stronger one of its client', async () => {
    const strong = await newClient();
    const weak = await ask(strong.key, 'POST', KEYS, { scopes: ['account'] });
    for (const [method, path] of [
      ['POST', `${KEYS}/${strong.id}/rotate`],
      ['DELETE', `${KEYS}/${strong.id}`],
    ] as const) {
      const { code, ...answer } = await ask(weak.key, method, path);
      expect([code, pointersOf(answer)]).toEqual([403, ['/scopes', '/intake']]);
    }
    expect((await ask(strong.key, 'GET', KEYS)).code).toBe(200);
  });

  test('a test key has to do with test keys only', async () => {
    const { key, id } = await newClient();
    const trial = await ask(key, 'POST', KEYS, { test: true });
    expect(trial.key).toMatch(/^slv_test_/);
    const other = await ask(trial.key, 'POST', KEYS);
    expect([other.code, other.key.slice(0, 9)]).toEqual([201, 'slv_test_']);
    expect((await ask(trial.key, 'POST', `${KEYS}/${id}/rotate`)).code).toBe(403);
    expect((await ask(trial.key, 'DELETE', `${KEYS}/${id}`)).code).toBe(403);
    // Test keys and keys with an end do not keep a client: this is its last.
    expect((await ask(key, 'DELETE', `${KEYS}/${id}`)).code).toBe(409);
    expect((await ask(trial.key, 'DELETE', `${KEYS}/${other.id}`)).code).toBe(200);
  });

  test('a rotated key keeps no access by a new one, and ends no other', async () => {
    const { key, id } = await newClient();
    const next = await ask(key, 'POST', `${KEYS}/${id}/rotate`);
    expect(next.code).toBe(201);
    expect((await ask(key, 'POST', KEYS)).code).toBe(409);
    expect((await ask(key, 'POST', `${KEYS}/${id}/rotate`)).code).toBe(409);
    expect((await ask(key, 'DELETE', `${KEYS}/${next.id}`)).code).toBe(409);
    expect((await ask(key, 'DELETE', `${KEYS}/${id}`)).code).toBe(200);
    expect((await ask(next.key, 'GET', KEYS)).code).toBe(200);
  });

  test('the last key stays, of two at the same time one; a key may revoke itself', async () => {
    const { key, id } = await newClient();
    const expected = { code: 409, type: 'conflict' };
    expect(await ask(key, 'DELETE', `${KEYS}/${id}`)).toMatchObject(expected);
    const second = await ask(key, 'POST', KEYS);
    const answers = await Promise.all([
      ask(key, 'DELETE', `${KEYS}/${id}`),
      ask(second.key, 'DELETE', `${KEYS}/${second.id}`),
    ]);
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409]);
    const revoked = answers.find(({ code }) => code === 200);
    expect(revoked).toMatchObject({ current: true });
    const codes = [(await ask(key, 'GET', KEYS)).code, (await ask(second.key, 'GET', KEYS)).code];
    expect(codes.sort()).toEqual([200, 401]);
  });

  test('no more live keys than allowed, and twenty new ones a day', async () => {
    const { key, id } = await newClient();
    const made = [];
    for (let i = 0; i < 5; i++) made.push(await ask(key, 'POST', KEYS, {}));
    expect(made.map(({ code }) => code)).toEqual([201, 201, 201, 201, 409]);
    expect(made[4]?.text).toContain(id);
    let last = 201;
    for (let i = 0; i < 16 && last === 201; i++) {
      const path = `${KEYS}/${made[0]?.id}/rotate`;
      last = (await ask(key, 'POST', path, { graceSeconds: 3600 })).code;
    }
    expect(last).toBe(429);
  });
});

test('usage counts requests and units by day and operation, of all keys of the client', async () => {
  const { key, client } = await newClient();
  const second = await ask(key, 'POST', KEYS);
  const attributes = { title: 'Blue denim jacket' };
  for (const each of [key, second.key])
    await ask(each, 'POST', '/taxonomy/v1/taxonomy', { attributes });
  expect((await postImage(stack, shirt, { key })).status).toBe(200);
  const job = { imageUrl: 'http://shop.invalid/a.jpg', operations: ['remove-background'] };
  await ask(key, 'POST', '/intake/v1/jobs', job);
  // Of two days: it may be midnight.
  const used = async () => (await ask(key, 'GET', '/account/v1/usage?days=2')).days;
  const of = async (operation: string) => {
    const all = (await used()).flatMap(({ operations }) => operations);
    const own = all.filter((each) => each.operation === operation);
    const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
    return [sum(own.map(({ requests }) => requests)), sum(own.map(({ units }) => units))];
  };
  await expect.poll(() => of('classifyGarment')).toEqual([2, 2]);
  await expect.poll(() => of('createJob')).toEqual([1, 1]);
  await expect.poll(() => of('removeBackground')).toEqual([1, 1]);
  // The image of the job cannot be fetched: its unit is refunded, and the day says so.
  const units = async () => (await used()).reduce((sum, day) => sum + day.units, 0);
  await expect.poll(units).toBe(3);
  const expected = { client: expect.stringContaining(client) };
  expect(await ask(key, 'GET', '/account/v1/usage')).toMatchObject(expected);
  for (const days of ['0', '91', 'x'])
    expect((await ask(key, 'GET', `/account/v1/usage?days=${days}`)).code).toBe(400);
});

describe('the request log', () => {
  const logged = (key: string, id: string) => ask(key, 'GET', `/account/v1/requests/${id}`);

  test('has what became of a request, and nothing that it carried', async () => {
    const { key, id } = await newClient();
    const requestId = randomUUID();
    const secret = 'https://shop.example/secret.jpg?token=1';
    const path = `/taxonomy/v1/taxonomy?note=${encodeURIComponent(secret)}`;
    await ask(key, 'POST', path, { attributes: { title: 7 }, [secret]: secret }, requestId);
    await expect.poll(async () => (await logged(key, requestId)).code).toBe(200);
    const { text, requests } = await logged(key, requestId);
    expect(requests).toEqual([
      {
        requestId,
        client: expect.any(String),
        keyId: id,
        method: 'POST',
        route: '/taxonomy/v1/taxonomy',
        operation: 'classifyGarment',
        status: 400,
        problem: 'invalid-request',
        pointer: '/attributes/title',
        millis: expect.any(Number),
        units: 0,
        answeredAt: expect.any(String),
      },
    ]);
    expect(text).not.toMatch(/secret|token/);
  });

  test('has the last five requests with one id, newest first', async () => {
    const { key } = await newClient();
    const requestId = randomUUID();
    for (let i = 0; i < 6; i++) {
      await ask(key, 'GET', `/account/v1/usage?days=${i}`, undefined, requestId);
    }
    await expect
      .poll(async () => (await logged(key, requestId)).requests.map(({ status }) => status))
      .toEqual([200, 200, 200, 200, 200]);
  });

  test('of another client is not there, but for an operator', async () => {
    const [owner, stranger, operator] = await Promise.all([
      newClient(),
      newClient(),
      newClient({ scopes: ['account', 'operations:access'] }),
    ]);
    const requestId = randomUUID();
    await ask(owner.key, 'GET', KEYS, undefined, requestId);
    await expect.poll(async () => (await logged(owner.key, requestId)).code).toBe(200);
    const [foreign, none] = [
      await logged(stranger.key, requestId),
      await logged(stranger.key, 'no'),
    ];
    expect([foreign.code, foreign.detail]).toEqual([404, none.detail]);
    // The same id of another client hides nothing.
    await ask(stranger.key, 'GET', KEYS, undefined, requestId);
    const keyIds = async () => (await logged(operator.key, requestId)).requests.map((r) => r.keyId);
    await expect.poll(keyIds).toEqual([stranger.id, owner.id]);
  });
});

describe('the audit log', () => {
  const redis = new Redis(stack.redis.url);
  afterAll(() => redis.disconnect());
  const AUDIT = '/account/v1/audit';
  const newOperator = () => newClient({ scopes: ['operations:access'] });
  const operationsOf = ({ entries }: { entries: { operation: string }[] }) =>
    entries.map(({ operation }) => operation);

  test('has who changed what, newest first, by pages, and nothing of a secret', async () => {
    const [{ key, client, id }, operator] = await Promise.all([newClient(), newOperator()]);
    const filter = `client=${encodeURIComponent((await stack.key({ client })).record.client)}`;
    const list = (query = '') => ask(operator.key, 'GET', `${AUDIT}?${filter}${query}`);
    const made = await ask(key, 'POST', KEYS, { name: 'Checkout' }, 'order-1');
    const hook = await keyClient(stack, key).ask('POST', '/intake/v1/webhooks/secret');
    const { secret } = z.object({ secret: z.string() }).parse(await hook.json());
    await ask(key, 'GET', KEYS);
    await ask(key, 'POST', '/taxonomy/v1/taxonomy', { attributes: { title: 'Denim jacket' } });
    // A secret where an id belongs.
    expect((await ask(key, 'DELETE', `${KEYS}/${made.key}?note=${made.key}`)).code).toBe(404);
    const more = await ask(key, 'POST', KEYS, { quotaPerDay: 1e9 });
    expect(more.code).toBe(403);
    const all = ['createKey', 'revokeKey', 'createWebhookSecret', 'createKey'];
    await expect.poll(async () => operationsOf(await list()).sort()).toEqual([...all].sort());
    const { entries } = await list();
    expect(entries.find(({ requestId }) => requestId === 'order-1')).toEqual({
      ...{ id: expect.stringMatching(/^\d+-\d+$/), requestId: 'order-1', keyId: id },
      ...{ client: expect.stringContaining(client), operation: 'createKey', method: 'POST' },
      ...{ route: KEYS, params: {}, made: made.id, status: 201, answeredAt: expect.any(String) },
    });
    expect(new Set(entries.map(({ status }) => status))).toEqual(
      new Set([201, hook.status, 403, 404]),
    );
    expect(entries.find(({ operation }) => operation === 'revokeKey')?.params).toEqual({ id: '…' });
    const first = await list('&limit=3');
    expect(first.entries).toEqual(entries.slice(0, 3));
    const second = await ask(operator.key, 'GET', first.links?.next ?? '');
    expect([second.entries, second.links]).toEqual([entries.slice(3), undefined]);
    expect((await list('&since=2999-01-01T00:00:00Z')).entries).toEqual([]);
    expect((await list('&until=1900-01-01T00:00:00Z')).entries).toEqual([]);
    const stream = JSON.stringify(await redis.xrange(`${PREFIX}:audit`, '-', '+'));
    expect(stream).toContain('order-1');
    for (const each of [key, made.key, secret, operator.key])
      expect(stream).not.toContain(each.slice(15));
  });

  test.each(['before=x', `before=${'9'.repeat(30)}-0`, 'limit=101', 'since=yesterday', 'client='])(
    'refuses %s',
    async (query) => {
      const { key } = await newOperator();
      const expected = { code: 400, type: 'invalid-request' };
      expect(await ask(key, 'GET', `${AUDIT}?${query}`)).toMatchObject(expected);
    },
  );

  test('is for operators', async () => {
    const { key } = await newClient();
    expect((await ask(key, 'GET', AUDIT)).code).toBe(403);
  });
});
