import { createHash, randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { limitDownloads } from '../../src/api/send-blob.ts';
import { openVerified } from '../../src/api/verified-blob.ts';
import { Problem } from '../../src/platform/problem.ts';
import { row, serve, TEST_ROUTE } from '../http/serve.ts';
import { useBlobs } from '../support/use-blobs.ts';

/** Several chunks of a file, and more than is checked before the first byte. */
const LARGE = randomBytes(1_000_001);
const SMALL = LARGE.subarray(0, 1000);

const logged: string[] = [];
const blobs = limitDownloads(await useBlobs(), 4);
const served = row({
  ...TEST_ROUTE,
  path: '/:name/:bytes/:sha256',
  scope: 'keyless',
  responses: { 200: { description: 'The blob', content: {} } },
  async handle({ params, signal }) {
    const { name = '', bytes, sha256 = '' } = params;
    const gone = async () => (name === 'erased' ? new Problem('gone', 'It was') : undefined);
    const blob = { key: `out/c/${name}`, bytes: Number(bytes), sha256 };
    const body = await openVerified(blobs, blob, signal, gone);
    return { headers: { 'content-length': String(bytes) }, body };
  },
});
const log = pino({}, { write: (line: string) => void logged.push(line) });
const { app, url } = await serve([served], { log });
afterAll(() => app.close());

/** Requests a blob whose record describes `written`, and whose bytes are now `stored`. */
async function ask(written: Uint8Array, stored?: Uint8Array, name = 'a'): Promise<Response> {
  const key = `out/c/${name}`;
  if (stored) await blobs.put(key, stored);
  else await blobs.delete(key);
  const sha256 = createHash('sha256').update(written).digest('hex');
  return fetch(`${url}/${name}/${written.length}/${sha256}`);
}

/** Returns a copy in which the last bit of a byte has flipped. */
function flipped(bytes: Uint8Array, index: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[index]! ^= 1;
  return copy;
}

const longer = (bytes: Uint8Array): Uint8Array => Buffer.concat([bytes, randomBytes(200_000)]);

describe.each([
  ['small', SMALL],
  ['large', LARGE],
])('a %s blob', (_, written) => {
  test('is served as it was written', async () => {
    const response = await ask(written, written);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(written)).toBe(true);
  });

  test('that is missing is damaged, unless there is a reason', async () => {
    expect(await (await ask(written)).json()).toMatchObject({ type: 'damaged', status: 500 });
    const erased = await ask(written, undefined, 'erased');
    expect(await erased.json()).toMatchObject({ type: 'gone' });
  });
});

const DAMAGES: readonly [what: string, harm: (written: Uint8Array) => Uint8Array][] = [
  ['whose first byte has flipped', (written) => flipped(written, 0)],
  ['whose last byte has flipped', (written) => flipped(written, written.length - 1)],
  ['that lacks its end', (written) => written.subarray(0, -1)],
  ['that is empty', () => new Uint8Array()],
  ['that is longer', longer],
];

test.each(DAMAGES)('a small blob %s is a problem with a status', async (_, harm) => {
  const response = await ask(SMALL, harm(SMALL));
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ type: 'damaged' });
});

test.each(DAMAGES)('a large blob %s never arrives whole', async (_, harm) => {
  logged.length = 0;
  const response = await ask(LARGE, harm(LARGE));
  // One without a chunk still has a status.
  if (!response.ok) expect(await response.json()).toMatchObject({ type: 'damaged', status: 500 });
  else await expect(response.arrayBuffer()).rejects.toThrow();
  expect(logged.join('')).toContain('the blob out/c/a is damaged');
});

test('downloads that fail or are broken off leave no file open', async () => {
  for (let i = 0; i < 6; i++) {
    const damaged = await ask(LARGE, flipped(LARGE, 5)).then((response) =>
      response.arrayBuffer().catch(() => 'broken'),
    );
    expect(damaged).toBe('broken');
    const left = await ask(LARGE, LARGE);
    await left.body?.cancel();
  }
  await expect
    .poll(async () => {
      const response = await ask(LARGE, LARGE);
      return response.ok && (await response.arrayBuffer()).byteLength;
    })
    .toBe(LARGE.length);
});
