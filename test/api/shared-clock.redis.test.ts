import { describe, expect, test } from 'vitest';
import { BatchActions } from '../../src/api/intake/batches/actions.ts';
import { CreateBatchRequest } from '../../src/api/intake/batches/request.ts';
import { fileRoutes } from '../../src/api/intake/files.ts';
import { jobRoutes } from '../../src/api/intake/job-routes.ts';
import { removeBgRoutes } from '../../src/api/removal/removebg/routes.ts';
import { DEFAULT_LIMITS } from '../../src/auth/key-record.ts';
import type { Gateway } from '../../src/gateway.ts';
import type { Route } from '../../src/http/route.ts';
import { BatchRetention } from '../../src/intake/batches/batch-retention.ts';
import { Batches } from '../../src/intake/batches/batches.ts';
import { ClientIndex } from '../../src/intake/client-index.ts';
import { NamedSettings, RULE_PACKS } from '../../src/intake/named-settings.ts';
import { ReviewDecisions } from '../../src/intake/review/decisions.ts';
import { WebhookReceivers } from '../../src/intake/webhooks/receivers.ts';
import { Problem } from '../../src/platform/problem.ts';
import { fileLinks } from '../../src/storage/file-links.ts';
import { callOf } from '../support/call.ts';
import { useBlobs } from '../support/use-blobs.ts';
import { useRedis } from '../support/use-redis.ts';

const { redis } = await useRedis();
const blobs = await useBlobs();

/** The time that all hosts share, many hours from this host's own. */
const SHARED_MILLIS = Date.parse('2020-02-29T21:00:00.000Z');
const now = () => SHARED_MILLIS;
const afterSeconds = (seconds: number) => new Date(SHARED_MILLIS + seconds * 1000).toISOString();

const call = callOf({
  caller: {
    keyId: 'key_1',
    client: 'tests',
    rights: [],
    scopes: ['background-removal:process'],
    allowBase64: false,
    meter: 'tests',
    quotaPerDay: 10,
    rate: { count: 5, periodSeconds: 60 },
    ...DEFAULT_LIMITS,
  },
  rateLimit: {
    rate: { limit: 5, remaining: 4, resetSeconds: 7, windowSeconds: 60 },
    quota: { limit: 10, remaining: 9, resetSeconds: 10_800 },
  },
});

function findRoute(routes: readonly Route[], path: string): Route {
  const found = routes.find((route) => route.path === path);
  if (!found) throw new Error(`no route ${path}`);
  return found;
}

/** For routes that do not use these dependencies. */
const UNUSED = {} as never;

test('the quota of a key resets at the shared midnight', async () => {
  const storedBytes = { used: async () => 0 } as never;
  const services = { storedBytes, presets: UNUSED, idempotency: UNUSED, now };
  const usage = findRoute(jobRoutes(UNUSED, services), '/intake/v1/usage');
  const { body } = await usage.handle(call);
  expect(body).toMatchObject({
    quota: { resetsAt: '2020-03-01T00:00:00.000Z' },
    storedBytes: { resetsAt: '2020-03-01T00:00:00.000Z' },
  });
});

test('a file link expires by the shared clock', async () => {
  const links = fileLinks(Buffer.alloc(32, 'of the test'));
  const stored = {
    head: async () => ({ bytes: 5, mediaType: 'image/png', modifiedAt: new Date(0), meta: {} }),
    link: async () => undefined,
    open: async () => ({ head: await stored.head() }),
  };
  const [files] = fileRoutes({ blobs: { ...(UNUSED as object), ...stored } as never, links, now });
  const get = (expiresAtSeconds: number) => {
    const url = new URL(links.create('out/c/a.png', 'a.png', expiresAtSeconds), 'http://host');
    return files?.handle({ ...call, query: Object.fromEntries(url.searchParams) });
  };
  const { headers } = (await get(SHARED_MILLIS / 1000 + 60)) ?? {};
  expect(headers).toMatchObject({ 'cache-control': 'private, max-age=60' });
  await expect(get(SHARED_MILLIS / 1000)).rejects.toThrow(Problem);
});

describe('the remove.bg routes', () => {
  const routes = removeBgRoutes({ images: UNUSED, readImage: () => undefined, now });
  const reset = String(SHARED_MILLIS / 1000 + 7);

  test('report when the rate limit resets by the shared clock', async () => {
    const account = findRoute(routes, '/compat/removebg/v1.0/account');
    expect((await account.handle(call)).headers).toMatchObject({ 'x-ratelimit-reset': reset });
  });

  test('convert problems, with the same reset', () => {
    const headers = { 'ratelimit-limit': '5', 'ratelimit-remaining': '0', 'ratelimit-reset': '7' };
    const problem = new Problem('rate-limit-exceeded', 'Slow down', { headers });
    for (const route of routes) {
      expect(route.problemReply?.(problem)).toMatchObject({
        status: 429,
        headers: { 'x-ratelimit-reset': reset },
        body: { errors: [{ code: 'rate_limit_exceeded', detail: 'Slow down' }] },
      });
    }
    expect(routes).toHaveLength(2);
  });
});

test('a batch is accepted, sealed and canceled by the shared clock', async () => {
  const batches = new Batches(redis, now);
  const services: Partial<Gateway> = {
    batches,
    blobs,
    limits: { maxPixels: 1, maxSidePixels: 1 },
    maxImageBytes: 1,
    batchIndex: new ClientIndex(redis, 'batches'),
    linkRule: () => undefined,
    batchRetention: new BatchRetention(batches, blobs),
    receivers: new WebhookReceivers(redis),
    rulePacks: new NamedSettings(redis, blobs, RULE_PACKS, now),
    reviews: new ReviewDecisions(redis),
    readClientLimits: async () => ({}),
    now,
  };
  const actions = new BatchActions(services as Gateway);
  const open = async () => {
    const body = CreateBatchRequest.parse({ retention: { outputSeconds: 3600 } });
    const { headers } = await actions.create({ ...call, body });
    return { ...call, params: { id: headers?.location?.split('/').at(-1) ?? '' } };
  };

  const first = await open();
  expect(await actions.show(first)).toMatchObject({
    body: { createdAt: afterSeconds(0), expiresAt: afterSeconds(86_400) },
  });
  await actions.seal(first);
  expect(await actions.show(first)).toMatchObject({ body: { sealedAt: afterSeconds(0) } });

  const second = await open();
  await actions.cancel(second);
  expect(await actions.show(second)).toMatchObject({
    body: {
      status: 'canceled',
      finishedAt: afterSeconds(0),
      expiresAt: afterSeconds(3600),
    },
  });
});
