import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/client.ts';
import { hashKey } from '../../src/auth/key-record.ts';
import { readSecrets } from '../../src/platform/secrets.ts';
import { keyCopyKey } from '../../src/storage/blob-keys.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack, key: operator } = await useSharedStack({ scopes: ['operations:access'] });

const PATH = '/access/v1/requests';
const FORM = {
  client: 'shop',
  contact: 'dev@shop.example',
  scopes: ['taxonomy:classify'],
};
const Answer = z.looseObject({
  id: z.string().optional(),
  secret: z.string().default(''),
  key: z.string().optional(),
  status: z.unknown().optional(),
  detail: z.string().optional(),
  type: z.string().optional(),
});

/** Sends JSON. Every request comes from another address, unless one is given. */
let addresses = 0;
async function send(path: string, body: object | undefined, key = '', address = '', once = '') {
  addresses += 1;
  const response = await fetch(stack.url + path, {
    method: 'POST',
    headers: {
      'x-forwarded-for': address || `198.51.100.${addresses}`,
      'content-type': 'application/json',
      ...(key && { authorization: `Bearer ${key}` }),
      ...(once && { 'idempotency-key': once }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { status, headers } = response;
  return { code: status, headers, ...Answer.parse(await response.json()) };
}

const fetchKey = (id: unknown, secret: string) => send(`${PATH}/${id}/key`, { secret });
const submit = (form: object = {}) => send(PATH, { ...FORM, ...form });

test('a stranger asks, the operator approves with fewer scopes, and the key works', async () => {
  const scopes = ['taxonomy:classify', 'look-engine:compute'];
  const { code, id, secret } = await submit({ client: 'first', scopes });
  expect(code).toBe(201);
  const waiting = await fetchKey(id, secret);
  const expected = [409, 'conflict', '60'];
  expect([waiting.code, waiting.type, waiting.headers.get('retry-after')]).toEqual(expected);
  const approval = { scopes: ['taxonomy:classify'], quotaPerDay: 7 };
  const approved = await send(`${PATH}/${id}/approve`, approval, operator);
  expect(approved).toMatchObject({ code: 200, status: 'approved' });
  expect(approved).not.toHaveProperty('grant');
  expect(approved.key).toBeUndefined();

  const { key = '' } = await fetchKey(id, secret);
  const copy = keyCopyKey(hashKey(readSecrets(stack.home).keyPepper, key));
  expect(await stack.stored(copy)).toEqual([copy]);
  const usage = await fetch(`${stack.url}/intake/v1/usage`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(await usage.text()).toContain('"limit":7');
  const forbidden = await send('/look/v1/targets', {}, key);
  expect(forbidden.code).toBe(403);

  const again = await fetchKey(id, secret);
  expect([again.code, again.type]).toEqual([410, 'gone']);
  const logs = await stack.logs();
  for (const text of [secret, key]) expect(logs).not.toContain(text);
});

test('the name of a client with keys must be confirmed', async () => {
  const { client } = (await stack.key({ client: 'known' })).record;
  const { id, secret } = await submit({ client });
  const path = `${PATH}/${id}/approve`;
  expect((await send(path, undefined, operator)).code).toBe(409);
  expect((await send(path, { existingClient: true }, operator)).code).toBe(200);
  expect((await fetchKey(id, secret)).code).toBe(200);
});

test('by the client library a key is asked for, fetched once, replaced, and its usage read', async () => {
  const stranger = createClient({ baseUrl: stack.url }).access;
  const decider = createClient({ baseUrl: stack.url, key: operator }).access;
  const contact = 'dev@shop.example';
  const scopes = ['account' as const, 'taxonomy:classify' as const];
  const { id, secret } = await stranger.request({ client: 'library', contact, scopes });
  const waiting = { type: 'conflict', retryAfterSeconds: 60 };
  await expect(stranger.fetchKey(id, secret)).rejects.toMatchObject(waiting);
  expect(await decider.list({ status: 'pending' })).toContainEqual(
    expect.objectContaining({ id, client: 'library', scopes }),
  );
  expect(await decider.approve(id, { quotaPerDay: 9 })).toMatchObject({ id, status: 'approved' });
  const fetched = await stranger.fetchKey(id, secret);
  await expect(stranger.fetchKey(id, secret)).rejects.toMatchObject({ type: 'gone' });
  const other = await stranger.request({ client: 'library', contact, scopes });
  expect(await decider.deny(other.id)).toMatchObject({ id: other.id, status: 'denied' });
  const denied = stranger.fetchKey(other.id, other.secret);
  await expect(denied).rejects.toMatchObject({ type: 'gone' });

  const { account } = createClient({ baseUrl: stack.url, key: fetched.key });
  const made = await account.createKey({ name: 'Page', scopes: ['taxonomy:classify'] });
  const page = await account.rotateKey(made.id, { graceSeconds: 0 });
  expect(page).toMatchObject({ name: 'Page', current: false, quotaPerDay: 9 });
  expect((await account.listKeys()).map((key) => key.id)).toEqual([fetched.id, page.id]);

  const { classify, usage } = createClient({ baseUrl: stack.url, key: page.key });
  const { requestId } = await classify({ attributes: { title: 'Blue jeans' } });
  const logged = () => account.findRequests(requestId).catch(({ type }) => type);
  const classified = { operation: 'classifyGarment', status: 200, keyId: page.id };
  await expect.poll(logged).toMatchObject([classified]);
  // Of two days: it may be midnight.
  const used = async () => (await account.usage({ days: 2 })).days.flatMap((day) => day.operations);
  await expect.poll(used).toContainEqual({ operation: 'classifyGarment', requests: 1, units: 1 });

  expect(await account.revokeKey(page.id)).toMatchObject({ id: page.id, current: false });
  await expect(usage()).rejects.toMatchObject({ type: 'unauthorized' });
});

describe('with an Idempotency-Key', () => {
  const [here, elsewhere] = ['203.0.113.20', '203.0.113.21'];

  test('a request for access is made once, and its secret is not told again', async () => {
    const form = { ...FORM, client: 'once' };
    const first = await send(PATH, form, '', here, 'ask-1');
    const again = await send(PATH, form, '', here, 'ask-1');
    const expected = [201, 409, 'conflict', first.id];
    expect([first.code, again.code, again.type, again.id]).toEqual(expected);
    expect([again.secret, again.headers.get('idempotency-replayed')]).toEqual(['', 'true']);
    expect(again.detail).toContain('another Idempotency-Key');
    const other = await send(PATH, { ...form, note: 'two' }, '', here, 'ask-1');
    expect([other.code, other.type]).toEqual([422, 'idempotency-mismatch']);
    // Keys of others are others: nobody learns of a request, nor is in its way.
    const stranger = await send(PATH, form, '', elsewhere, 'ask-1');
    expect([stranger.code, stranger.id === first.id]).toEqual([201, false]);
  });

  test('a decision is made once, and answered as before', async () => {
    const { id, secret } = await submit({ client: 'decided-once' });
    const approve = (once?: string) =>
      send(`${PATH}/${id}/approve`, { quotaPerDay: 7 }, operator, '', once);
    const [first, again] = [await approve('yes-1'), await approve('yes-1')];
    expect([first.code, again.code, again.status]).toEqual([200, 200, 'approved']);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect([(await approve()).code, (await fetchKey(id, secret)).code]).toEqual([409, 200]);
  });
});

describe('turns down', () => {
  test.each([
    ['scopes of operators', { scopes: ['operations:access'] }],
    ['no scopes', { scopes: [] }],
    ['a name that is none', { client: '../shop' }],
    ['control characters that a terminal would obey', { contact: 'a\u001b[2Jb' }],
    ['a novel', { note: 'x'.repeat(1001) }],
    ['limits of its own', { quotaPerDay: 1_000_000 }],
  ])('%s', async (_, form) => {
    expect((await submit(form)).code).toBe(400);
  });

  test('another secret, and a request that is not there, alike', async () => {
    const { id } = await submit({ client: 'third' });
    const [other, none] = [await fetchKey(id, 'guessed'), await fetchKey('req_none', 'guessed')];
    expect([other.code, none.code]).toEqual([404, 404]);
    expect(other.detail).toBe(none.detail);
  });

  test('more than five requests an hour from one address', async () => {
    const codes = [];
    for (let i = 0; i < 6; i++) codes.push((await send(PATH, FORM, '', '203.0.113.9')).code);
    expect(codes).toEqual([201, 201, 201, 201, 201, 429]);
  });

  test('decisions with a key that has another scope', async () => {
    const { key } = await stack.key({ client: 'curious', scopes: ['operations:read'] });
    const { id } = await submit({ client: 'curious' });
    expect((await send(`${PATH}/${id}/approve`, { existingClient: true }, key)).code).toBe(403);
  });
});
