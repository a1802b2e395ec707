import { beforeEach, describe, expect, test } from 'vitest';
import { AccessRequests } from '../../src/auth/access-requests.ts';
import { findLiveByMeter, type Grant, isLive, mintKey } from '../../src/auth/key-record.ts';
import { KeyError, Keys } from '../../src/auth/keys.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import { useRedis } from '../support/use-redis.ts';

const PEPPER = 'a pepper for these tests';
const GRANT: Grant = {
  client: 'acme',
  scopes: ['background-removal:process'],
  allowBase64: false,
  rate: { count: 60, periodSeconds: 60 },
  quotaPerDay: 1000,
};

const { server, redis } = await useRedis();
beforeEach(() => redis.flushall());

describe('the key register', () => {
  test('finds a created key and nothing else', async () => {
    const keys = new Keys(redis, PEPPER, hostClock);
    const { key, record } = await keys.create(GRANT);
    expect(await keys.lookUp(key)).toEqual(record);
    expect(await keys.lookUp(mintKey())).toBeUndefined();
    expect(await keys.lookUp('junk')).toBeUndefined();
    expect(
      await new Keys(redis, 'another pepper altogether', hostClock).lookUp(key),
    ).toBeUndefined();
  });

  test('finds the newest live key of a meter among many without reading them all', async () => {
    let nowMillis = Date.parse('2031-05-06');
    const keys = new Keys(redis, PEPPER, () => nowMillis);
    const find = (meter: string) => findLiveByMeter(redis, meter, nowMillis);
    const first = await keys.create(GRANT);
    await keys.create({ ...GRANT, client: 'another' });
    const { meter } = first.record;
    await redis.config('RESETSTAT');
    expect(await find(meter)).toEqual(first.record);
    nowMillis += 1000;
    const next = await keys.rotate(first.record.id, 3600);
    expect(await find(meter)).toEqual(next.record);
    await keys.revoke(next.record.id);
    expect((await find(meter))?.id).toBe(first.record.id);
    expect(await redis.info('commandstats')).not.toContain('cmdstat_hvals');

    await redis.del(`{selvage}:keys-of:${meter}`); // as earlier versions left it
    expect((await find(meter))?.id).toBe(first.record.id);
    await keys.revoke(first.record.id);
    expect(await find(meter)).toBeUndefined();
  });

  test('of the live keys of a meter, the one with the largest quota pays for what runs by itself', async () => {
    const keys = new Keys(redis, PEPPER, hostClock);
    const { record } = await keys.create(GRANT);
    const { meter } = record;
    const smaller = await keys.create({ ...GRANT, quotaPerDay: 5 }, meter);
    expect((await findLiveByMeter(redis, meter, hostClock()))?.id).toBe(record.id);
    await keys.revoke(record.id);
    expect((await findLiveByMeter(redis, meter, hostClock()))?.id).toBe(smaller.record.id);
  });

  test('lists the keys of one client, whatever others are called', async () => {
    const keys = new Keys(redis, PEPPER, hostClock);
    const { record } = await keys.create(GRANT);
    for (const client of ['acme2', 'acm']) await keys.create({ ...GRANT, client });
    await keys.create({ ...GRANT, client: 'other', name: '"client":"acme"' });
    expect(await keys.listOf('acme')).toEqual([record]);
  });

  test('stores no key in clear text', async () => {
    const { key, record } = await new Keys(redis, PEPPER, hostClock).create(GRANT);
    const everything = JSON.stringify(await redis.hgetall('{selvage}:keys'));
    expect(everything).toContain(record.id);
    expect(everything).not.toContain(key);
    expect(everything).not.toContain(key.slice(12));
  });

  test('rotates a key: both are live and share a meter until the grace period ends', async () => {
    const keys = new Keys(redis, PEPPER, hostClock);
    const old = await keys.create(GRANT);
    const next = await keys.rotate(old.record.id, 3600);
    expect(next.key).not.toBe(old.key);
    expect((await keys.lookUp(next.key))?.meter).toBe((await keys.lookUp(old.key))?.meter);

    // Rotated again within its grace period, it ends no later.
    const expiresAt = (await keys.lookUp(old.key))?.expiresAt;
    expect(expiresAt).toBeDefined();
    const third = await keys.rotate(old.record.id, 86_400);
    expect(third.record.expiresAt).toBeUndefined();
    expect((await keys.lookUp(old.key))?.expiresAt).toBe(expiresAt);

    const another = await keys.create({ ...GRANT, client: 'another' });
    const after = await keys.rotate(another.record.id, 0);
    expect(await keys.lookUp(another.key)).toBeUndefined();
    expect(await keys.lookUp(after.key)).toBeDefined();
  });

  test('accepts a key until its expiry by the given clock, whatever the host says', async () => {
    let nowMillis = Date.parse('2001-02-03T04:05:06.000Z');
    const keys = new Keys(redis, PEPPER, () => nowMillis);
    const { key, record } = await keys.create(GRANT);
    expect(record.createdAt).toBe('2001-02-03T04:05:06.000Z');
    await keys.rotate(record.id, 60);
    nowMillis += 59_999;
    expect(await keys.lookUp(key)).toMatchObject({ expiresAt: '2001-02-03T04:06:06.000Z' });
    nowMillis += 1;
    expect(await keys.lookUp(key)).toBeUndefined();
    expect(await keys.revoke(record.id)).toMatchObject({ revokedAt: '2001-02-03T04:06:06.000Z' });
  });

  test('rejects a revoked key', async () => {
    const keys = new Keys(redis, PEPPER, hostClock);
    const { key, record } = await keys.create(GRANT);
    await keys.revoke(record.id);
    expect(await keys.lookUp(key)).toBeUndefined();
    await expect(keys.rotate(record.id, 60)).rejects.toThrow(/no longer live/);
    await expect(keys.revoke('key_unknown')).rejects.toThrow(/keys list/);
  });

  test("adopts an operator's own key in any format, and adopting it again changes its grant", async () => {
    const keys = new Keys(redis, PEPPER, hostClock);
    await keys.adopt('my-own-key-1', GRANT);
    const others = new Keys(redis, PEPPER, hostClock);
    expect(await others.lookUp('my-own-key-1')).toBeUndefined();
    const first = await keys.lookUp('my-own-key-1');
    await keys.adopt('my-own-key-1', { ...GRANT, allowBase64: true });
    const expected = { allowBase64: true, meter: first?.meter };
    expect(await keys.lookUp('my-own-key-1')).toMatchObject(expected);
    expect(await keys.list()).toHaveLength(1);
  });

  test('a revoked key stays revoked when it is adopted again, as after a restart', async () => {
    const keys = new Keys(redis, PEPPER, hostClock);
    expect(await keys.adopt('my-own-key-1', GRANT)).toBe(true);
    const [{ id = '' } = {}] = await keys.list();
    const { revokedAt } = await keys.revoke(id);
    expect(await keys.adopt('my-own-key-1', GRANT)).toBe(false);
    expect(await keys.lookUp('my-own-key-1')).toBeUndefined();
    expect(await keys.list()).toEqual([expect.objectContaining({ id, revokedAt })]);
  });

  test('a key that was rotated keeps its grace period when it is adopted again', async () => {
    let nowMillis = Date.parse('2001-02-03T04:05:06.000Z');
    const keys = new Keys(redis, PEPPER, () => nowMillis);
    await keys.adopt('my-own-key-1', GRANT);
    const [{ id = '' } = {}] = await keys.list();
    await keys.rotate(id, 60);
    expect(await keys.adopt('my-own-key-1', { ...GRANT, allowBase64: true })).toBe(true);
    nowMillis += 60_000;
    expect(await keys.adopt('my-own-key-1', GRANT)).toBe(false);
    expect(await keys.lookUp('my-own-key-1')).toBeUndefined();
  });

  test('a key that is revoked while others write it stays revoked', async () => {
    const keys = new Keys(redis, PEPPER, hostClock);
    for (let i = 0; i < 20; i++) {
      const grant = { ...GRANT, client: `acme-${i}` };
      const { key, record } = await keys.create(grant);
      await Promise.allSettled([
        keys.rotate(record.id, 3600),
        keys.adopt(key, grant),
        keys.revoke(record.id),
        keys.adopt(key, grant),
        keys.rotate(record.id, 3600),
      ]);
      expect(await keys.lookUp(key)).toBeUndefined();
    }
  });
});

describe('a client has no more live keys than it may', () => {
  const live = async (keys: Keys, client = GRANT.client) =>
    (await keys.list()).filter((record) => record.client === client && isLive(record, hostClock()));

  test('one that is revoked makes room, and rotation always works', async () => {
    const keys = new Keys(redis, PEPPER, hostClock, { maxLive: 2 });
    const first = await keys.create(GRANT);
    const second = await keys.create(GRANT);
    const ids = `${first.record.id}.*${second.record.id}|${second.record.id}.*${first.record.id}`;
    await expect(keys.create(GRANT)).rejects.toThrow(new RegExp(ids));
    const rotated = await keys.rotate(first.record.id, 60);
    expect(await live(keys)).toHaveLength(3);
    await keys.revoke(rotated.record.id);
    await keys.create({ ...GRANT, client: 'acme2' });
    await keys.create({ ...GRANT, client: 'acm' });
    const third = await keys.rotate(first.record.id, 0);
    await keys.revoke(second.record.id);
    await keys.create(GRANT);
    expect((await live(keys)).map(({ id }) => id)).toContain(third.record.id);
    expect(await live(keys)).toHaveLength(2);
  });

  test('when a grace period ends there is room', async () => {
    let nowMillis = Date.parse('2001-02-03T04:05:06.000Z');
    const keys = new Keys(redis, PEPPER, () => nowMillis, { maxLive: 2 });
    const { record } = await keys.create(GRANT);
    await keys.rotate(record.id, 60);
    nowMillis += 59_999;
    await expect(keys.create(GRANT)).rejects.toThrow(/2 live keys/);
    nowMillis += 1;
    await keys.create(GRANT);
  });

  test('by an approved request too, which stays pending', async () => {
    const keys = new Keys(redis, PEPPER, hostClock, { maxLive: 2 });
    const requests = new AccessRequests(redis, keys, hostClock);
    const { client, scopes, ...limits } = GRANT;
    const { id } = await requests.create({ client, scopes, contact: 'dev@acme.example' });
    const [old] = [await keys.create(GRANT), await keys.create(GRANT)];
    await expect(requests.approve(id, limits)).rejects.toThrow(/2 live keys/);
    expect(await requests.list()).toMatchObject([{ id, status: 'pending' }]);
    await keys.revoke(old.record.id);
    await requests.approve(id, limits);
  });

  test('by a development key too, and its own is adopted again', async () => {
    const keys = new Keys(redis, PEPPER, hostClock, { maxLive: 2 });
    await keys.adopt('my-own-key-1', GRANT);
    await keys.adopt('my-own-key-2', GRANT);
    await expect(keys.adopt('my-own-key-3', GRANT)).rejects.toThrow(/2 live keys/);
    expect(await keys.adopt('my-own-key-1', { ...GRANT, allowBase64: true })).toBe(true);
  });

  test('whatever happens at once, on several connections', async () => {
    const other = commandConnection(server.url, createLog('test', 'silent'));
    await untilReady(other, AbortSignal.timeout(5000));
    const registers = [redis, other].map(
      (each) => new Keys(each, PEPPER, hostClock, { maxLive: 2 }),
    );
    const [keys] = registers as [Keys];
    for (let round = 0; round < 10; round++) {
      const grant = { ...GRANT, client: `crowd-${round}` };
      const { record } = await keys.create(grant);
      const attempts = registers.flatMap((register, i) => [
        register.create(grant),
        register.rotate(record.id, 0),
        register.adopt(`own-key-${round}-${i}`, grant),
        register.create(grant),
      ]);
      const done = await Promise.allSettled<unknown>(attempts);
      expect(await live(keys, grant.client)).toHaveLength(2);
      const failures = done.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      expect(failures.length).toBeGreaterThan(0);
      for (const failure of failures) expect(failure).toBeInstanceOf(KeyError);
    }
    other.disconnect();
  });

  test('those of an earlier version that has more stay live, and none is added', async () => {
    const keys = new Keys(redis, PEPPER, hostClock, { maxLive: 2 });
    for (let i = 0; i < 3; i++) {
      const { record } = await keys.create({ ...GRANT, client: `old-${i}` });
      const records = Object.entries(await redis.hgetall('{selvage}:keys'));
      const [hash, json] = records.find(([, text]) => text.includes(record.id)) ?? ['', ''];
      await redis.hset('{selvage}:keys', hash, json.replace(`old-${i}`, GRANT.client));
    }
    expect(await live(keys)).toHaveLength(3);
    await expect(keys.create(GRANT)).rejects.toThrow(/live keys/);
    const [first] = await live(keys);
    await keys.rotate(first?.id ?? '', 0);
    expect(await live(keys)).toHaveLength(3);
  });
});

describe('managed access', () => {
  const request = { client: 'shop', contact: 'dev@shop.example', scopes: GRANT.scopes };
  const limits = { allowBase64: true, rate: GRANT.rate, quotaPerDay: 5 };

  test('an approved request becomes a key with the requested scopes', async () => {
    const keys = new Keys(redis, PEPPER, hostClock);
    const requests = new AccessRequests(redis, keys, hostClock);
    const { id } = await requests.create(request);
    const { key = '' } = await requests.approve(id, limits);
    const expected = { client: 'shop', scopes: GRANT.scopes, quotaPerDay: 5 };
    expect(await keys.lookUp(key)).toMatchObject(expected);
    expect(await requests.list()).toMatchObject([{ id, status: 'approved' }]);
  });

  test('the key of a stranger is created when it is fetched, once, whoever asks at the same time', async () => {
    const keys = new Keys(redis, PEPPER, hostClock);
    const requests = new AccessRequests(redis, keys, hostClock);
    const stranger = { ...request, client: 'stranger' };
    const { request: submitted, secret } = await requests.submit(stranger);
    const { id } = submitted;
    await expect(requests.fetchKey(id, secret)).rejects.toMatchObject({ reason: 'undecided' });
    expect(await requests.approve(id, limits)).not.toHaveProperty('key');
    await expect(requests.fetchKey(id, `${secret}x`)).rejects.toMatchObject({ reason: 'unknown' });
    const created = async () =>
      (await keys.list()).filter(({ client, revokedAt }) => client === 'stranger' && !revokedAt);
    expect(await created()).toEqual([]);
    const fetches = await Promise.allSettled([1, 2, 3].map(() => requests.fetchKey(id, secret)));
    const fetched = fetches.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(fetched).toHaveLength(1);
    expect(await created()).toHaveLength(1);
    expect(await keys.lookUp(fetched[0]?.key ?? '')).toMatchObject({ client: 'stranger' });
    await expect(requests.fetchKey(id, secret)).rejects.toMatchObject({ reason: 'fetched' });
    expect(JSON.stringify(await redis.hgetall('{selvage}:access-requests'))).not.toContain(secret);
  });

  test('a stranger gets the name of a client only if the operator says so', async () => {
    const keys = new Keys(redis, PEPPER, hostClock);
    const requests = new AccessRequests(redis, keys, hostClock);
    await keys.create({ ...GRANT, client: 'known' });
    const submit = async () => (await requests.submit({ ...request, client: 'known' })).request.id;
    const id = await submit();
    await expect(requests.approve(id, limits)).rejects.toMatchObject({ reason: 'taken' });
    const expected = { client: 'new', status: 'approved' };
    expect(await requests.approve(id, { ...limits, client: 'new' })).toMatchObject(expected);
    await requests.approve(await submit(), { ...limits, existingClient: true });
  });

  test('no more than a thousand requests are kept, and old ones make room', async () => {
    let nowMillis = Date.parse('2026-01-01T00:00:00.000Z');
    await redis.del('{selvage}:access-requests');
    const keys = new Keys(redis, PEPPER, () => nowMillis);
    const requests = new AccessRequests(redis, keys, () => nowMillis);
    for (let i = 0; i < 1000; i++) await requests.create(request);
    await expect(requests.submit(request)).rejects.toMatchObject({ reason: 'full' });
    nowMillis += 31 * 86_400_000;
    await requests.submit(request);
    expect(await requests.list()).toHaveLength(1);
  });

  test('a request can be decided only once', async () => {
    const requests = new AccessRequests(redis, new Keys(redis, PEPPER, hostClock), hostClock);
    const { id } = await requests.create(request);
    await requests.deny(id);
    await expect(requests.approve(id, limits)).rejects.toThrow(/already denied/);
    await expect(requests.deny('req_unknown')).rejects.toThrow(/access list/);
  });
});
