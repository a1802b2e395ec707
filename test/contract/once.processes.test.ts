import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/client.ts';
import { type Gate, startGate } from '../faults/gate.ts';
import { readBatch } from '../support/batches.ts';
import { formOf, formWith, postImage } from '../support/client.ts';
import { feedClient } from '../support/feed-client.ts';
import { drawnShirt } from '../support/images.ts';
import { whileFrozen } from '../support/inference.ts';
import { intakeClient, readJob } from '../support/intake.ts';
import { untilServed } from '../support/stack.ts';
import { startGateway, useShop, useStack } from '../support/use-stack.ts';
import { preferenceCases } from './preferences.cases.ts';

/** Requests with an Idempotency-Key, when responses are lost and gateways die. */

let gate: Gate | undefined;
afterAll(() => gate?.close());
const clients = await useStack(
  { SYNC_TIMEOUT_SECONDS: '20', FETCH_ALLOW: '127.0.0.0/8' },
  { quotaPerDay: 1000 },
);
const { stack, key, ask, intake, batches, feeds } = clients;
const shop = await useShop();
preferenceCases(clients);
const shirt = await drawnShirt({ width: 300, height: 360, format: 'jpeg' });

/** Returns a picture that no other test has sent. */
let drawn = 0;
function another(): Promise<Buffer> {
  drawn += 1;
  return sharp(shirt).extend({ right: drawn, background: '#fff' }).jpeg().toBuffer();
}

const remove = (idempotencyKey: string, image = shirt, signal?: AbortSignal) =>
  postImage(stack, image, {
    key,
    headers: { 'idempotency-key': idempotencyKey },
    ...(signal && { signal }),
  });

const Page = z.record(z.string(), z.unknown());
const { quotaLeft } = intake;
const countOf = (path: string, member: string) => async (): Promise<number> =>
  [Page.parse(await (await intake.ask('GET', path)).json())[member]].flat().length;

const isReplay = ({ headers }: Response) => headers.get('idempotency-replayed');

test('a removal that is repeated has the same image, and is charged once', async () => {
  const before = await quotaLeft();
  const first = await remove('sync-1');
  const again = await remove('"sync-1"');
  expect([first.status, isReplay(first)]).toEqual([200, null]);
  expect([again.status, isReplay(again)]).toEqual([200, 'true']);
  const [one, two] = await Promise.all([first, again].map((each) => each.arrayBuffer()));
  expect(Buffer.from(one!).equals(Buffer.from(two!))).toBe(true);
  expect(await quotaLeft()).toBe(before - 1);
});

test('other content under the key is a mismatch, at every endpoint', async () => {
  await (await remove('sync-2')).arrayBuffer();
  const other = await remove('sync-2', await another());
  expect([other.status, await other.json()]).toMatchObject([422, { type: 'idempotency-mismatch' }]);
  const headers = { 'idempotency-key': 'sync-2' };
  for (const path of ['/taxonomy/v1/taxonomy', '/taxonomy/v1/garments', '/intake/v1/jobs']) {
    const body = formOf(['image', shirt, 'a.jpg']);
    if (path.startsWith('/intake')) body.append('operations', 'remove-background');
    const response = await ask('POST', path, { headers, body });
    expect([path, response.status]).toEqual([path, 422]);
  }
});

test('two at once are worked on one after the other, and charged once', async () => {
  const before = await quotaLeft();
  const image = await another();
  const both = await Promise.all([remove('sync-3', image), remove('sync-3', image)]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(both.map(isReplay).sort()).toEqual(['true', null].sort());
  expect(await quotaLeft()).toBe(before - 1);
});

test('a client that leaves in the middle and comes back is charged once', async () => {
  const before = await quotaLeft();
  const image = await another();
  await whileFrozen(stack, async () => {
    const leaving = new AbortController();
    const first = remove('sync-4', image, leaving.signal);
    first.catch(() => {});
    await pause(1000); // the worker has taken the job
    leaving.abort();
    await expect(first).rejects.toThrow();
  });
  const again = await remove('sync-4', image);
  expect(again.status).toBe(200);
  await again.arrayBuffer();
  await expect.poll(quotaLeft).toBe(before - 1);
});

test('a request that failed may be sent again under its key', async () => {
  const response = await remove('sync-5', Buffer.from('no image'));
  expect(response.status).toBe(415);
  expect((await remove('sync-5')).status).toBe(200);
});

test('the client library is charged once however often its response is late', async () => {
  const before = await quotaLeft();
  const client = createClient({
    baseUrl: stack.url,
    key,
    attemptTimeoutMillis: 700,
    retry: { baseMillis: 50, maxAttempts: 100 }, // a busy machine needs many
  });
  const image = await another();
  const removing = client.removeBackground(image);
  removing.catch(() => {});
  await whileFrozen(stack, () => pause(1500));
  expect((await removing).image.length).toBeGreaterThan(100);
  await expect.poll(quotaLeft).toBe(before - 1);
});

test('a key of 255 odd characters is a key, and a longer, empty or invisible one is malformed', async () => {
  const odd = "!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".repeat(9).slice(0, 255);
  const image = await another();
  const post = (value: string) => intake.post(image, {}, { 'idempotency-key': value });
  const first = await readJob(await post(odd));
  const again = await post(`"${odd}"`);
  expect([again.status, isReplay(again)]).toEqual([202, 'true']);
  expect((await readJob(again)).id).toBe(first.id);
  expect((await readJob(await post(`${odd.slice(0, 254)}"`))).id).not.toBe(first.id);
  for (const malformed of [`${odd}!`, '""', '"', 'a b', 'é', 'a\tb', 'a, b']) {
    const response = await post(malformed);
    expect([malformed, response.status]).toEqual([malformed, 400]);
    expect(await response.json()).toMatchObject({ type: 'invalid-request' });
  }
});

test('two requests in the same millisecond at two gateways make one job', async () => {
  const { url } = await startGateway(stack);
  const count = countOf('/jobs?limit=100', 'jobs');
  for (let round = 0; round < 10; round++) {
    const before = await count();
    const image = await another();
    const headers = { 'idempotency-key': `same-millisecond-${round}` };
    const ids = new Set<string>();
    const send = async (at: string): Promise<boolean> => {
      const response = await intakeClient({ url: at }, key).post(image, {}, headers);
      if (response.status === 202) ids.add((await readJob(response)).id);
      else
        expect([response.status, await response.json()]).toMatchObject([409, { type: 'conflict' }]);
      return response.status === 202;
    };
    const both = await Promise.all([url, stack.url].map(send));
    expect(both).toContain(true);
    for (const at of [url, stack.url]) await expect.poll(() => send(at)).toBe(true);
    expect([ids.size, await count()]).toEqual([1, before + 1]);
  }
});

/**
 * What a gateway sends to Redis, in order, while it handles a request: it is killed when this is about to arrive. What
 * precedes has taken effect.
 */
const STEPS = {
  'the claim': /:idempotent:/,
  'the bytes': /:stored-bytes:/,
  'the record': /:(?:job|feed-record):\w+_/,
  'the turn': /:turns:(?:async|feed)/,
  'the queue': /\}:(?:async|feed):(?:meta|id|events)/,
  'the answer': /\{"status":20[02],/,
} as const;

interface Effect {
  steps: readonly (keyof typeof STEPS)[];
  /** Prepares the request, which must have its effect once. */
  prepare(): Promise<{ send(headers: object): Promise<Response>; count(): Promise<number> }>;
}

const whole = Object.keys(STEPS) as (keyof typeof STEPS)[];
/** What a request does that must not be done twice. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  'a job': {
    steps: whole,
    async prepare() {
      const image = await another();
      const send = (headers: object) => intake.post(image, {}, headers);
      return { send, count: countOf('/jobs?limit=100', 'jobs') };
    },
  },
  'a feed': {
    steps: ['the claim', 'the record', 'the turn', 'the queue', 'the answer'],
    async prepare() {
      drawn += 1;
      const body = { url: `https://shop.example/${drawn}.csv` };
      const send = (headers: object) => feeds.postJson(body, headers);
      return { send, count: countOf('/feeds?limit=100', 'feeds') };
    },
  },
  'an uploaded feed': {
    steps: ['the record', 'the queue', 'the answer'],
    async prepare() {
      drawn += 1;
      const body = `id,image_link\r\n${drawn},https://shop.example/1.jpg\r\n`;
      const send = (headers: object) => feeds.send('/feeds', body, 'text/csv', headers);
      return { send, count: countOf('/feeds?limit=100', 'feeds') };
    },
  },
  'a refinement': {
    steps: ['the answer'],
    async prepare() {
      const image = await another();
      const { id } = await intake.done(image);
      const stroke = { mode: 'erase', radius: 6, points: [[100, 110]] };
      const send = (headers: object) => {
        const body = formWith({ image, strokes: JSON.stringify([stroke]) });
        return intake.ask('POST', `/jobs/${id}/refinements`, { headers: { ...headers }, body });
      };
      const count = async () => Number((await intake.get(id)).refinements ?? 0);
      return { send, count };
    },
  },
};

/** Starts a gateway in the place of the present one, which reaches Redis through the gate. */
async function startGated(): Promise<Gate> {
  gate ??= await startGate(stack.redis.port);
  await stack.gateway.end();
  await stack.startGateway({ REDIS_URL: `redis://127.0.0.1:${gate.port}` });
  await untilServed(stack.url);
  return gate;
}

describe('Redis goes away in the middle of an acceptance:', () => {
  /** Sends a request; Redis goes away before it gets what matches, and comes back when the request was refused. */
  async function refusedAt(pattern: RegExp, send: () => Promise<Response>): Promise<void> {
    const inFront = gate ?? (await startGated());
    inFront.meet('request', pattern, () => inFront.shut());
    const refused = await send();
    expect([refused.status, await refused.json()]).toMatchObject([503, {}]);
    inFront.open();
  }

  /** Sends a request again until it is accepted. */
  async function accepted(send: () => Promise<Response>): Promise<Response> {
    let response: Response | undefined;
    await expect
      .poll(async () => {
        response = await send();
        if (!response.ok) await response.body?.cancel();
        return response.ok;
      })
      .toBe(true);
    return response!;
  }

  test('a job whose record may exist keeps its image, and is done when it is sent again', async () => {
    const image = await another();
    const send = () => intake.post(image, {}, { 'idempotency-key': 'job' });
    await refusedAt(/run-job/, send);
    const { id } = await readJob(await accepted(send));
    await intake.until(id, 'succeeded');
  });

  test('a batch whose record may exist keeps its manifest', async () => {
    const send = () => batches.create({}, { 'idempotency-key': 'batch' });
    await refusedAt(/batches-of/, send);
    const { id } = await readBatch(await accepted(send));
    expect(await stack.stored(id)).toEqual([expect.stringContaining('batch.json')]);
  });

  test('an uploaded feed whose run may exist is kept, and imported', async () => {
    const own = feedClient(stack, (await stack.key({ client: 'uploads' })).key);
    const body = `id,title,image_link\n1,Shirt,${await shop.putImage('/1.jpg', 1)}\n`;
    await refusedAt(/ingest-feed/, () => own.send('/feeds', body));
    const Feeds = z.object({
      feeds: z.array(z.object({ id: z.string(), runs: z.array(z.string()) })),
    });
    const list = await accepted(() => own.ask('GET', '/feeds'));
    const [feed] = Feeds.parse(await list.json()).feeds;
    const again = await own.send(`/feeds/${feed?.id}/runs`, body);
    expect(again.status).toBe(409); // it is under way
    const run = { feedId: feed?.id ?? '', id: feed?.runs[0] ?? '' };
    expect((await own.until(run, 'completed')).counts).toMatchObject({ succeeded: 1 });
  });
});

test.each(
  Object.entries(EFFECTS).flatMap(([what, { steps }]) =>
    steps.map((step) => [what, step] as const),
  ),
)('%s is made once if the gateway dies before %s', async (what, step) => {
  const inFront = gate ?? (await startGated());
  const { send, count } = (await EFFECTS[what]?.prepare())!;
  const before = await count();
  const headers = { 'idempotency-key': `kill-${randomUUID()}` };
  let isMet = false;
  inFront.meet('request', STEPS[step], () => {
    isMet = true;
    stack.gateway.child.kill('SIGKILL');
  });
  await expect(send(headers).then((response) => response.status)).rejects.toThrow();
  expect(isMet).toBe(true);
  await startGated();
  const startedAt = performance.now();
  const ids = new Set<unknown>();
  const again = async () => {
    const response = await send(headers);
    if (response.ok) ids.add(Page.parse(await response.json()).id);
    else await response.body?.cancel();
    return response.ok;
  };
  await expect.poll(again, { interval: 200 }).toBe(true);
  console.info(`${what}, ${step}: ${Math.round(performance.now() - startedAt)} ms`);
  expect(await again()).toBe(true);
  expect(ids.size).toBe(1);
  expect(await count()).toBe(before + 1);
});
