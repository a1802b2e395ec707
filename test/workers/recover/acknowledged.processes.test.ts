import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { selvage } from '../../cli/command.ts';
import { uploadedRow } from '../../support/batches.ts';
import { formWith } from '../../support/client.ts';
import { readFeed, readRun } from '../../support/feed-client.ts';
import { listen } from '../../support/free-port.ts';
import { drawnShirt, drawnShirtOnWood } from '../../support/images.ts';
import { readJob } from '../../support/intake.ts';
import { declareSources } from '../../support/sources.ts';
import { useFolder } from '../../support/use-folder.ts';
import { useShop, useStack } from '../../support/use-stack.ts';

/**
 * What clients and operators did in the last second of Redis's append-only file, of every kind: the second is lost as
 * in a power cut, and what was acknowledged must hold again.
 */

/** Something that is done and acknowledged, and how to see whether it holds. */
interface Deed {
  /** Done before the second that is lost. Returns the id of what the deed is about, if it has one. */
  prepare?(): Promise<unknown>;
  /** Prepared after all others: what it needs does not last. */
  isLate?: boolean;
  /** Rejects unless it is acknowledged. Returns the id of what it has created. */
  act(id: string): Promise<unknown>;
  look(id: string): Promise<unknown>;
}

const home = await useFolder();
for (const name of ['in', 'out']) await mkdir(join(home, name));
const [from, to] = ['in', 'out'].map((name) => ({ kind: 'folder', path: join(home, name) }));
const { stack, key, intake, batches, feeds } = await useStack({
  FETCH_ALLOW: '127.0.0.0/8',
  SOURCES_FILE: await declareSources(home, [{ id: 'shelf', client: 'tests', from, to }]),
});
const shop = await useShop();
const shirt = await drawnShirtOnWood({ width: 200, height: 240, format: 'jpeg' });
const silent = createServer(() => {});
const hanging = `http://127.0.0.1:${await listen(silent)}`;
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

async function ask(method: string, path: string, body?: object) {
  const headers = { 'content-type': 'application/json' };
  const init = body && { body: JSON.stringify(body), headers };
  const response = await intake.ask(method, path, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || 'null');
}

/** Returns status and type of a problem, or the members of an answer. */
async function read(path: string, ...members: string[]): Promise<unknown> {
  const response = await intake.ask('GET', path);
  const body = z.record(z.string(), z.unknown()).parse(await response.json());
  if (!response.ok) return [response.status, body.type, body.erasedAt];
  return members.map((member) => body[member]);
}

const succeededJob = async (): Promise<string> => (await intake.done(shirt)).id;

/** Posts a job whose image never comes. */
const hangingJob = async (): Promise<string> =>
  (await readJob(await intake.postJson({ imageUrl: `${hanging}/a.jpg` }))).id;
const completedBatch = () => batches.completed(uploadedRow('one', shirt));

async function createdFeed(): Promise<string> {
  const url = shop.put('/empty.csv', { body: 'id,image_link\r\n', type: 'text/csv' });
  const feed = await readFeed(await feeds.postJson({ url, schedule: '0 3 * * *' }));
  await feeds.until(feed.run, 'completed');
  return feed.id;
}

let cookie: string;

const console = (method: string, body?: object) =>
  fetch(`${stack.url}/console/session`, {
    method,
    headers: { 'x-selvage-console': '1', cookie: cookie ?? '', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

const GONE = 'https://shop.example/gone';

const DEEDS: Readonly<Record<string, Deed>> = {
  'a job that was refined': {
    prepare: succeededJob,
    async act(id) {
      const stroke = { mode: 'erase', radius: 6, points: [[100, 110]] };
      const body = formWith({ image: shirt, strokes: JSON.stringify([stroke]) });
      const response = await intake.ask('POST', `/jobs/${id}/refinements`, { body });
      expect(response.status).toBe(200);
    },
    look: (id) => read(`/jobs/${id}`, 'status', 'results', 'refinements'),
  },
  'a job that was erased': {
    prepare: succeededJob,
    act: (id) => ask('DELETE', `/jobs/${id}`),
    look: (id) => read(`/jobs/${id}`),
  },
  'a job that was canceled': {
    prepare: hangingJob,
    isLate: true,
    act: (id) => ask('POST', `/jobs/${id}/cancel`),
    look: (id) => read(`/jobs/${id}`, 'status', 'finishedAt', 'expiresAt'),
  },
  'a job that was accepted and canceled': {
    async act() {
      const id = await hangingJob();
      await ask('POST', `/jobs/${id}/cancel`);
      return id;
    },
    look: (id) => read(`/jobs/${id}`, 'status', 'finishedAt', 'expiresAt'),
  },
  'a job that was accepted and erased': {
    async act() {
      const id = await hangingJob();
      await ask('DELETE', `/jobs/${id}`);
      return id;
    },
    look: (id) => read(`/jobs/${id}`),
  },
  'an open batch that was canceled': {
    prepare: () => batches.open(),
    act: (id) => ask('POST', `/batches/${id}/cancel`),
    look: (id) => read(`/batches/${id}`, 'status', 'finishedAt', 'expiresAt'),
  },
  'a batch that was erased': {
    prepare: completedBatch,
    act: (id) => ask('DELETE', `/batches/${id}`),
    look: (id) => read(`/batches/${id}`),
  },
  'a batch that was opened and erased': {
    async act() {
      const id = await batches.open();
      await ask('DELETE', `/batches/${id}`);
      return id;
    },
    look: (id) => read(`/batches/${id}`),
  },
  'a decision about a row': {
    prepare: completedBatch,
    act: (id) => ask('POST', `/batches/${id}/review/0`, { decision: 'rejected', revision: 0 }),
    look: (id) => read(`/batches/${id}/review/0`, 'decision', 'history'),
  },
  'an approval of all rows': {
    prepare: completedBatch,
    act: (id) => ask('POST', `/batches/${id}/review`, { decision: 'approved', minConfidence: 0 }),
    look: (id) => read(`/batches/${id}/review/0`, 'decision'),
  },
  'a feed that was erased': {
    prepare: createdFeed,
    act: (id) => ask('DELETE', `/feeds/${id}`),
    look: (id) => read(`/feeds/${id}`),
  },
  'a feed that was created and erased': {
    async act() {
      const url = shop.put('/short.csv', { body: 'id,image_link\r\n', type: 'text/csv' });
      const id = (await readFeed(await feeds.postJson({ url }))).id;
      await ask('DELETE', `/feeds/${id}`);
      return id;
    },
    look: (id) => read(`/feeds/${id}`),
  },
  'a run of a feed that was started': {
    prepare: createdFeed,
    async act(id) {
      await readRun(await intake.ask('POST', `/feeds/${id}/runs`));
    },
    look: (id) => read(`/feeds/${id}`, 'runs'),
  },
  'a preset that was deleted': {
    prepare: () => ask('PUT', '/presets/deleted', { options: {} }),
    act: () => ask('DELETE', '/presets/deleted'),
    look: () => read('/presets/deleted', 'options'),
  },
  'a preset that was changed': {
    prepare: () => ask('PUT', '/presets/changed', { options: {} }),
    act: () => ask('PUT', '/presets/changed', { options: { crop: true } }),
    look: () => read('/presets/changed', 'options', 'changedAt'),
  },
  'rules that were deleted': {
    prepare: () => ask('PUT', '/rules/ours', { title: 'Ours', rules: { border: false } }),
    act: () => ask('DELETE', '/rules/ours'),
    look: () => read('/rules/ours'),
  },
  'a source that was paused': {
    prepare: () => ask('PUT', '/sources/shelf', { paused: false }),
    act: () => ask('PUT', '/sources/shelf', { paused: true }),
    look: () => read('/sources/shelf', 'status', 'changedAt'),
  },
  'a secret of webhooks that was replaced': {
    prepare: () => ask('POST', '/webhooks/secret'),
    act: () => ask('POST', '/webhooks/secret'),
    look: () => read('/webhooks', 'secrets'),
  },
  'an address of webhooks that was enabled': {
    prepare: () =>
      stack.redis.command('ZADD', '{selvage}:webhook-disabled:tests', `${Date.now()}`, GONE),
    isLate: true, // a new secret enables all
    act: () => ask('POST', '/webhooks/enable', { url: GONE }),
    look: () => read('/webhooks', 'disabledUrls'),
  },
  'a person who signed out': {
    async prepare() {
      const response = await console('POST', { key });
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    },
    act: () => console('DELETE'),
    look: async () => (await console('GET')).json(),
  },
  'a limit of retention that was set': {
    async act() {
      const args = ['retention', 'set', '--client', 'another', 'output=1h'];
      const env = { SELVAGE_HOME: stack.home, REDIS_URL: stack.redis.url };
      expect((await selvage(args, env)).code).toBe(0);
    },
    look: () => stack.redis.command('HGET', '{selvage}:client-retention', 'another'),
  },
};

const names = Object.keys(DEEDS);
const deeds = Object.values(DEEDS);
/** Ids of what the deeds are about, and what they were. */
const ids: string[] = [];
let before: unknown[];
const lookAtAll = () => Promise.all(deeds.map(({ look }, i) => look(ids[i] ?? '')));

const JOBS = 6;

/** Waits until the recovery has seen this Redis, so that another start of it differs. */
const untilSeen = () =>
  expect
    .poll(() => stack.redis.command('HGET', '{selvage}:recovery', 'seenAtMillis'))
    .not.toBeNull();

/** Posts a job with a photo of its own. */
const post = async (width: number) =>
  readJob(await intake.post(await drawnShirt({ width, height: 200, format: 'jpeg' })));

test('jobs that were accepted in the lost second end, those that had ended too', async () => {
  await untilSeen();
  const mark = await stack.redis.mark();
  const first = await post(201);
  const ended = await intake.until(first.id, 'succeeded');
  const digest = async () => {
    const bytes = Buffer.from(await (await intake.result(first.id)).arrayBuffer());
    return createHash('sha256').update(bytes).digest('hex');
  };
  const before = await digest();
  const others = await Promise.all(Array.from({ length: JOBS - 1 }, (_, i) => post(202 + i)));
  await stack.redis.powerCut(mark);

  for (const { id } of [first, ...others]) await intake.until(id, 'succeeded');
  expect(await digest()).toBe(before);
  expect(await intake.get(first.id)).toMatchObject({ createdAt: ended.createdAt });
  expect(stack.worker.output()).toContain('looking for what it has lost');

  // Inputs are deleted once an end has settled.
  await expect.poll(() => stack.stored('in/')).toEqual([]);
});

test('a job of the lost second is not unknown until it was looked for', async () => {
  const never = `job_${'0'.repeat(32)}`;
  const statusOf = async (id: string) => (await intake.ask('GET', `/jobs/${id}`)).status;
  await expect.poll(() => statusOf(never)).toBe(404);
  const mark = await stack.redis.mark();
  const { id } = await post(401);
  stack.worker.child.kill('SIGSTOP');
  await stack.redis.powerCut(mark);
  await expect.poll(() => stack.redis.command('PING').catch(String)).toBe('PONG');
  const response = await intake.ask('GET', `/jobs/${id}`);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await statusOf(never)).toBe(503);
  stack.worker.child.kill('SIGCONT');
  await intake.until(id, 'succeeded');
  await expect.poll(() => statusOf(never)).toBe(404);
});

test.each([1, JOBS])(
  'rows whose images were uploaded succeed when the ends of %i are lost',
  async (ended) => {
    await untilSeen();
    const id = await batches.open();
    for (let i = 0; i < JOBS; i++) {
      const image = await drawnShirt({ width: 301 + i, height: 200 + ended, format: 'jpeg' });
      await batches.send(id, uploadedRow(`${i}`, image));
    }
    const mark = await stack.redis.mark();
    await batches.seal(id);
    const succeeded = async () => (await batches.get(id)).counts.succeeded;
    await expect.poll(succeeded, { interval: 20 }).toBeGreaterThanOrEqual(ended);
    await stack.redis.powerCut(mark);

    const batch = await batches.until(id, 'completed');
    expect(batch.counts).toMatchObject({ succeeded: JOBS, failed: 0 });
    expect(await stack.stored('batches/', `${id}/in/`)).toEqual([]);
  },
);

test('all is done and acknowledged, and then lost', async () => {
  for (const late of [false, true]) {
    const prepareOne = async ({ prepare, isLate = false }: Deed, i: number) => {
      if (isLate === late) ids[i] = String(await prepare?.());
    };
    await Promise.all(deeds.map(prepareOne));
  }
  const mark = await stack.redis.mark();
  for (const [i, { act }] of deeds.entries()) {
    const created = await act(ids[i] ?? '');
    if (typeof created === 'string') ids[i] = created;
  }
  before = await lookAtAll();
  await stack.worker.end('SIGKILL');
  await stack.redis.powerCut(mark);
  // Without a worker nothing is restored yet.
  await expect.poll(() => intake.ask('GET', '/usage').then(({ status }) => status)).toBe(200);
  const lost = await lookAtAll();
  for (const [i, name] of names.entries()) expect(lost[i], name).not.toEqual(before[i]);
});

// What precedes has lost it.
test('it is restored by a worker', () => stack.startWorker());

test.each(names.map((name, i) => [name, i] as const))('%s', async (name, i) => {
  await expect.poll(() => DEEDS[name]?.look(ids[i] ?? '')).toEqual(before[i]);
});
