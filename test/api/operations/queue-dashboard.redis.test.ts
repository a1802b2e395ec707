import { afterAll, expect, test } from 'vitest';
import { serveQueueDashboard } from '../../../src/api/operations/queue-dashboard.ts';
import { DEFAULT_LIMITS } from '../../../src/auth/key-record.ts';
import { Limits } from '../../../src/http/limits.ts';
import type { Caller } from '../../../src/http/route.ts';
import { HttpServer } from '../../../src/http/server.ts';
import { hostClock } from '../../../src/platform/clock.ts';
import { createLog } from '../../../src/platform/log.ts';
import { openQueues } from '../../../src/queue/queue.ts';
import { useRedis } from '../../support/use-redis.ts';

const log = createLog('test', 'silent');
const SECRET = 'https://shop.example/signed.jpg?token=canary';

const grantOf = (scope: string): Caller => ({
  keyId: 'key_1',
  client: 'tests',
  rights: [],
  scopes: [scope],
  allowBase64: false,
  meter: 'tests',
  quotaPerDay: 1,
  ...DEFAULT_LIMITS,
  rate: { count: 1, periodSeconds: 1 },
});
const KEYS: Readonly<Record<string, Caller>> = {
  operator: grantOf('operations:read'),
  'a:client': grantOf('background-removal:process'),
};
const basic = (password: string) => `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}`;

const { redis } = await useRedis();
const queues = openQueues(redis, log);
const data = { batchId: 'bat_1', requestId: 'req-1', row: { row: 7, source: { url: SECRET } } };
await queues.bulk.add('run-row', data, { jobId: 'bat_1-7' });
const lookUp = async (key: string) => KEYS[key];
const { app } = new HttpServer({
  routes: [],
  log,
  lookUp,
  limits: new Limits(redis, hostClock),
  maxImageBytes: 1,
  problemBase: undefined,
  observe: () => {},
});
serveQueueDashboard(app, { lookUp, queues: Object.values(queues) });
const origin = await app.listen({ host: '127.0.0.1', port: 0 });
afterAll(async () => {
  await app.close();
  await Promise.all(Object.values(queues).map((queue) => queue.close()));
});

const ask = (url: string, authorization?: string, method: 'GET' | 'PUT' = 'GET') =>
  fetch(`${origin}/ops/queues${url}`, { method, headers: authorization ? { authorization } : {} });

test.each([
  { who: 'nobody', authorization: undefined, status: 401, type: 'unauthorized' },
  { who: 'an unknown key', authorization: basic('nonsense'), status: 401, type: 'unauthorized' },
  { who: 'half a password', authorization: 'Basic !', status: 401, type: 'unauthorized' },
  { who: 'a client', authorization: basic('a:client'), status: 403, type: 'insufficient-scope' },
])('$who is rejected', async ({ authorization, status, type }) => {
  for (const url of ['', '/', '/api/queues', '/queue/bulk', '/static/favicon.ico']) {
    const answer = await ask(url, authorization);
    expect(answer.status, url).toBe(status);
    expect(await answer.json()).toMatchObject({
      type,
      status,
      requestId: answer.headers.get('x-request-id'),
    });
    const challenge = answer.headers.get('www-authenticate');
    expect(challenge).toMatch(status === 401 ? /^Basic realm=/ : /insufficient_scope/);
  }
});

const WAYS = [basic('operator'), 'Bearer operator'];
test.each(WAYS)('an operator sees the page by %s', async (way) => {
  const page = await ask('', way);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
  const [script] = /static\/js\/main\.\w+\.js/.exec(await page.text()) ?? [];
  expect((await ask(`/${script}`, way)).status).toBe(200);
});

test('a job is shown without the source of its image', async () => {
  const body = await (await ask('/api/queues?activeQueue=bulk', basic('operator'))).text();
  const { queues } = JSON.parse(body);
  const names = queues.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['sync', 'async', 'bulk', 'feed', 'webhook']);
  const bulk = queues.find(({ name }: { name: string }) => name === 'bulk');
  expect(bulk).toMatchObject({ readOnlyMode: true, allowRetries: false });
  const expected = { id: 'bat_1-7', data: { batchId: 'bat_1', requestId: 'req-1' } };
  expect(bulk.jobs[0]).toMatchObject(expected);
  expect(body).not.toContain('canary');
  const one = await ask('/api/queues/bulk/bat_1-7', basic('operator'));
  expect(await one.text()).not.toContain('canary');
});

const URLS = ['/api/queues/bulk/pause', '/api/queues/bulk/empty', '/api/queues/bulk/bat_1-7/clean'];
test.each(URLS)('nobody changes anything: %s', async (url) => {
  const answer = await ask(url, basic('operator'), 'PUT');
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('GET, HEAD');
});
