import { beforeEach, describe, expect, test } from 'vitest';
import { keptIds, RequestRecorder } from '../../src/api/account/record.ts';
import { AuditLog, ClientUsage, RequestLog } from '../../src/auth/request-logs.ts';
import { type Route, route } from '../../src/http/route.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection } from '../../src/platform/redis.ts';
import { useRedis } from '../support/use-redis.ts';

const { server, redis } = await useRedis();
beforeEach(() => redis.flushall());

const KEY = '{selvage}:audit';
const DAY_MILLIS = 86_400_000;
const lineOf = (client: string, id: string) => ({
  ...{ requestId: `r-${id}`, client, keyId: 'key_1', method: 'DELETE', status: 204 },
  ...{ route: '/intake/v1/presets/:name', operation: 'deletePreset', params: { name: id } },
});
const namesOf = (entries: { params: Record<string, string> }[]) =>
  entries.map(({ params }) => params.name);

describe('the audit log', () => {
  const log = new AuditLog(redis, Date.now, 7);

  test('is read newest first, page by page, by client, person and key', async () => {
    for (let i = 0; i < 5; i++) await log.write(lineOf(i % 2 ? 'odd' : 'even', `p${i}`));
    await log.write({ ...lineOf('even', 'p5'), person: 'ann@shop.example (ann)', keyId: 'key_2' });
    const first = await log.list({ limit: 4 });
    expect(namesOf(first)).toEqual(['p5', 'p4', 'p3', 'p2']);
    const last = first.at(-1);
    expect(namesOf(await log.list({ limit: 4, before: last?.id }))).toEqual(['p1', 'p0']);
    expect(last).toMatchObject({ ...lineOf('even', 'p2'), answeredAt: expect.any(String) });
    expect(namesOf(await log.list({ limit: 9, client: 'odd' }))).toEqual(['p3', 'p1']);
    const person = 'ann@shop.example (ann)';
    expect(namesOf(await log.list({ limit: 9, person }))).toEqual(['p5']);
    expect(namesOf(await log.list({ limit: 9, keyId: 'key_2' }))).toEqual(['p5']);
    const late = { limit: 9, sinceMillis: Date.now() + 1000 };
    expect(await log.list(late)).toEqual([]);
    expect(await log.list({ limit: 9, untilMillis: -5 })).toEqual([]);
    const all = { limit: 9, sinceMillis: Date.now() - 60_000, untilMillis: Date.now() + 60_000 };
    expect(await log.list(all)).toHaveLength(6);
    expect(await log.list({ ...all, before: first[0]?.id })).toHaveLength(5);
  });

  test('finds what is far back among entries of others', async () => {
    await log.write(lineOf('rare', 'old'));
    const line = JSON.stringify(lineOf('loud', 'p'));
    const flood = redis.pipeline();
    for (let i = 0; i < 2500; i++) flood.xadd(KEY, '*', 'line', line);
    await flood.exec();
    expect(namesOf(await log.list({ limit: 2, client: 'rare' }))).toEqual(['old']);
  });

  test('is capped, and its memory is bounded', async () => {
    const line = JSON.stringify(lineOf('loud-'.repeat(12), 'p'.repeat(64)));
    for (let from = 0; from < 51_000; from += 1000) {
      const flood = redis.pipeline();
      for (let i = 0; i < 1000; i++) flood.xadd(KEY, '*', 'line', line);
      await flood.exec();
    }
    await log.write(lineOf('loud', 'last'));
    const length = await redis.xlen(KEY);
    expect(length).toBeGreaterThanOrEqual(50_000);
    expect(length).toBeLessThan(50_200);
    expect(namesOf(await log.list({ limit: 1 }))).toEqual(['last']);
    const bytes = Number(await redis.call('MEMORY', 'USAGE', KEY, 'SAMPLES', '0'));
    expect(bytes).toBeLessThan(32 * 2 ** 20);
  });

  test('goes back as many days as it says', async () => {
    await redis.xadd(
      KEY,
      Date.now() - 7.5 * DAY_MILLIS,
      'line',
      JSON.stringify(lineOf('a', 'old')),
    );
    await redis.xadd(
      KEY,
      Date.now() - 6.5 * DAY_MILLIS,
      'line',
      JSON.stringify(lineOf('a', 'new')),
    );
    expect(namesOf(await log.list({ limit: 9 }))).toEqual(['new']);
    await log.write(lineOf('a', 'now'));
    expect(await redis.xlen(KEY)).toBe(2);
    expect(await redis.ttl(KEY)).toBeGreaterThan(7 * 86_400 - 60);
    await redis.flushall();
    await new AuditLog(redis, Date.now, 0).write(lineOf('a', 'none'));
    expect(await redis.keys('*')).toEqual([]);
  });
});

describe('what is recorded of answered requests', () => {
  const routeOf = (method: Route['method'], path: string): Route =>
    route(`${method} ${path}`, `${method} ${path}`, { responses: {}, handle: () => ({}) });
  const BULK = [
    routeOf('POST', '/bg/v1/background-removals'),
    routeOf('POST', '/taxonomy/v1/taxonomy'),
    routeOf('POST', '/look/v1/outfits'),
    routeOf('POST', '/compat/removebg/v1.0/removebg'),
    routeOf('POST', '/intake/v1/jobs'),
    routeOf('POST', '/intake/v1/batches/:id/items'),
    routeOf('GET', '/account/v1/keys'),
  ];
  const PUT = routeOf('PUT', '/intake/v1/presets/:name');

  function recorderOf(connection = redis) {
    const days = 7;
    const clientUsage = new ClientUsage(connection, Date.now);
    const requestLog = new RequestLog(connection, Date.now, days);
    const auditLog = new AuditLog(connection, Date.now, days);
    const warned: string[] = [];
    const log = createLog('test', 'silent');
    log.warn = (_: unknown, text?: string) => void warned.push(String(text));
    const logs = { metrics: { observe() {} }, clientUsage, requestLog, auditLog };
    const recorder = new RequestRecorder(logs, [...BULK, PUT], log);
    const send = ({ method, path }: Route, params: Record<string, string> = {}) =>
      recorder.record({
        ...{ requestId: 'r', method, route: path, params, status: 200, seconds: 0.1, units: 0 },
        ...{ caller: { client: 'shop', keyId: 'key_1', person: undefined } },
        ...{ problem: undefined, pointer: undefined, made: undefined },
      });
    return { send, warned };
  }

  test('a flood of single images, and of reads, is not audited, and takes the place of nothing', async () => {
    const { send } = recorderOf();
    for (let i = 0; i < 300; i++) for (const each of BULK) send(each);
    send(PUT, { name: 'white' });
    await expect.poll(() => redis.xlen(KEY)).toBe(1);
    const [entry] = await new AuditLog(redis, Date.now, 7).list({ limit: 9 });
    expect(entry).toMatchObject({ route: PUT.path, params: { name: 'white' }, client: 'shop' });
  });

  test('of more than a thousand at once, each that is left out is reported', async () => {
    const { send, warned } = recorderOf();
    for (let i = 0; i < 1003; i++) send(PUT, { name: 'white' });
    expect(warned).toEqual(Array(3).fill('not in the audit log'));
    await expect.poll(() => redis.xlen(KEY)).toBe(1000);
  });

  test('a Redis that refuses or is gone fails no request, and the gateway logs what is missing', async () => {
    await redis.set(KEY, 'no stream');
    const { send, warned } = recorderOf();
    send(PUT, { name: 'white' });
    await expect.poll(() => warned).toEqual(['not in the audit log']);
    const gone = commandConnection(server.url, createLog('test', 'silent'));
    gone.disconnect();
    const other = recorderOf(gone);
    other.send(PUT, { name: 'white' });
    await expect.poll(() => other.warned).toEqual(['not in the audit log']);
  });

  test.each([
    'slv_Abcdefgh0123456789',
    'whsec_MfKQ9r8GKYqr',
    'access_x1',
    'eyJhbGciOi',
    'a'.repeat(65),
  ])('a secret in place of an id is left out: %s', (secret) => {
    const expected = { params: { id: '…', row: '17' }, made: '…' };
    expect(keptIds({ params: { id: secret, row: '17' }, made: secret })).toEqual(expected);
  });
});
