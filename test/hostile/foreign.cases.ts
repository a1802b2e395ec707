import { expect, test } from 'vitest';
import { z } from 'zod';
import { CLIENT_SCOPES } from '../../src/auth/key-record.ts';
import { keyClient } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { intakeClient, readJob } from '../support/intake.ts';
import type { Stack } from '../support/stack.ts';
import { ACCESS, type Access } from './access-table.ts';

const Made = z.looseObject({ id: z.string(), run: z.object({ id: z.string() }).optional() });
const Deliveries = z.object({ deliveries: z.array(z.object({ id: z.string() })) });
const ProblemBody = z.looseObject({ requestId: z.string(), instance: z.string() });

/** The kinds of resources that paths with `{id}` name. */
const KINDS = ['jobs', 'batches', 'feeds', 'sources', 'deliveries', 'keys', 'requests'] as const;
type Kind = (typeof KINDS)[number];
const NEVER = {
  jobs: 'job_',
  batches: 'batch_',
  feeds: 'feed_',
  sources: '',
  deliveries: 'msg_',
  keys: 'key_',
  requests: '',
} as const;

/** Media type and body of requests that are read before the resource they are for. */
const BODIES: readonly (readonly [RegExp, string, string])[] = [
  [/\/(items|runs)$/, 'text/csv', 'custom_id,image_url\r\n'],
  [
    /\/refinements$/,
    'application/json',
    '{"strokes":[{"mode":"add","radius":4,"points":[[1,1]]}]}',
  ],
  [/\/sources\/[^/]+\/events$/, 'application/json', '{"Records":[]}'],
  [/\/review$/, 'application/json', '{"decision":"approved","minConfidence":1}'],
  [/\/feeds\/[^/]+$/, 'application/json', '{"schedule":null}'],
  [/\/review\/\d+$/, 'application/json', '{"decision":"approved","revision":0}'],
];

/** Resources of one client, requested by another. */
export function foreignCases(stack: Stack): void {
  /** Creates one resource of each kind, as one client. */
  async function makeAll() {
    const ids: Partial<Record<Kind, string | undefined>> = {};
    const { key, record } = await stack.key({ client: 'owner' });
    ids.keys = record.id;
    const owner = intakeClient(stack, key);
    const { ask, postJson } = keyClient(stack, key);
    const make = async (path: string, body: object) =>
      Made.parse(await (await postJson(`/intake/v1${path}`, body)).json());
    await owner.ask('POST', '/webhooks/secret');
    const webhook = JSON.stringify({ url: 'http://127.0.0.1:9/hook' });
    const image = await drawnShirt({ width: 64, height: 64, format: 'jpeg' });
    const job = await readJob(await owner.post(image, { webhook }));
    ids.jobs = job.id;
    ids.batches = (await make('/batches', {})).id;
    const feed = await make('/feeds', { url: 'http://shop.invalid/feed.xml' });
    ids.feeds = feed.id;
    ids.sources = 'shelf'; // declared for this client
    await owner.until(job.id, 'succeeded');
    ids.requests = 'request-of-the-owner';
    await ask('GET', '/look/v1/meta', { headers: { 'x-request-id': ids.requests } });
    const logged = () => ask('GET', `/account/v1/requests/${ids.requests}`);
    await expect.poll(async () => (await logged()).status).toBe(200);
    const list = async () =>
      Deliveries.parse(await (await owner.ask('GET', '/webhooks/deliveries')).json()).deliveries;
    await expect.poll(async () => (await list()).length).toBeGreaterThan(0);
    ids.deliveries = (await list())[0]?.id;
    return { ids, run: feed.run?.id ?? '' };
  }

  test('a resource of another client looks exactly like one that does not exist', async () => {
    const { ids, run } = await makeAll();
    const { key } = await stack.key({ client: 'stranger', scopes: CLIENT_SCOPES });
    const client = keyClient(stack, key);
    const ask = async (method: string, path: string, id: string) => {
      const filled = path.replace('{id}', id).replace('{run}', run).replace('{row}', '0');
      const [, type, body = null] =
        (/^(POST|PATCH)$/.test(method) && BODIES.find(([paths]) => paths.test(filled))) || [];
      const headers = type ? { 'content-type': type } : {};
      const response = await client.ask(method, filled, { headers, body });
      const { requestId, instance, ...rest } = ProblemBody.parse(await response.json());
      return { status: response.status, problem: rest };
    };
    let requested = 0;
    // Requests for access belong to no client: their operator sees all, others need a secret.
    const isOwned = ({ path }: Access) => path.includes('{id}') && !path.startsWith('/access/');
    for (const { method, path } of ACCESS.filter(isOwned)) {
      const kind = KINDS.find((name) => path.includes(`/${name}/`));
      const id = kind && ids[kind];
      if (!kind || !id) throw new Error(`nothing was made for ${path}`);
      const foreign = await ask(method, path, id);
      expect(foreign.status, `${method} ${path}`).toBe(404);
      const unknown = NEVER[kind] + 'f'.repeat(id.length - NEVER[kind].length);
      expect(foreign, `${method} ${path}`).toEqual(await ask(method, path, unknown));
      requested++;
    }
    expect(requested).toBeGreaterThan(20);
    for (const list of ['jobs', 'batches', 'feeds', 'sources', 'webhooks/deliveries']) {
      const response = await client.ask('GET', `/intake/v1/${list}`);
      expect(await response.json(), list).toEqual({ [list.split('/').at(-1)!]: [] });
    }
  });
}
