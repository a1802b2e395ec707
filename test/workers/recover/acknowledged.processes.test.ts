import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { selvage } from '../../cli/command.ts';
import { type BatchClient, batchClient, uploadedRow } from '../../support/batches.ts';
import { formWith } from '../../support/client.ts';
import { feedClient, readFeed, readRun } from '../../support/feed-client.ts';
import { type FeedServer, startFeedServer } from '../../support/feed-server.ts';
import { listen } from '../../support/free-port.ts';
import { drawnShirtOnWood } from '../../support/images.ts';
import { type IntakeClient, intakeClient, readJob } from '../../support/intake.ts';
import { declareSources } from '../../support/sources.ts';
import { type Stack, startStack } from '../../support/stack.ts';

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

const SHIRT = { width: 200, height: 240, format: 'jpeg' } as const;

let stack: Stack;
let shop: FeedServer;
let home: string;
let intake: IntakeClient;
let batches: BatchClient;
let shirt: Buffer;

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
const silent = createServer(() => {});
let hanging: string;

const completedBatch = () => batches.completed(uploadedRow('one', shirt));

async function createdFeed(): Promise<string> {
  const feeds = feedClient(stack, key);
  const url = shop.put('/empty.csv', { body: 'id,image_link\r\n', type: 'text/csv' });
  const feed = await readFeed(await feeds.postJson({ url, schedule: '0 3 * * *' }));
  await feeds.until(feed.run, 'completed');
  return feed.id;
}

let key: string;
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
      const id = (await readFeed(await feedClient(stack, key).postJson({ url }))).id;
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

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'selvage-acknowledged-'));
  for (const name of ['in', 'out']) await mkdir(join(home, name));
  const shelf = {
    from: { kind: 'folder', path: join(home, 'in') },
    to: { kind: 'folder', path: join(home, 'out') },
  };
  const SOURCES_FILE = await declareSources(home, [{ id: 'shelf', client: 'tests', ...shelf }]);
  [stack, shop] = await Promise.all([
    startStack({ FETCH_ALLOW: '127.0.0.0/8', SOURCES_FILE }),
    startFeedServer(),
  ]);
  hanging = `http://127.0.0.1:${await listen(silent)}`;
  ({ key } = await stack.key());
  intake = intakeClient(stack, key);
  batches = batchClient(stack, key);
  shirt = await drawnShirtOnWood(SHIRT);
});
afterAll(async () => {
  silent.closeAllConnections();
  silent.close();
  await Promise.all([stack.stop(), shop.close()]);
  await rm(home, { recursive: true, force: true });
});

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
  // Not ready, without a worker.
  await expect.poll(() => intake.ask('GET', '/usage').then(({ status }) => status)).toBe(200);
  const lost = await lookAtAll();
  for (const [i, name] of names.entries()) expect(lost[i], name).not.toEqual(before[i]);
});

// What precedes has lost it.
test('it is restored by a worker', () => stack.startWorker());

test.each(names.map((name, i) => [name, i] as const))('%s', async (name, i) => {
  await expect.poll(() => DEEDS[name]?.look(ids[i] ?? '')).toEqual(before[i]);
});
