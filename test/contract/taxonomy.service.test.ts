import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawnShirt, transparentShirt } from '../support/images.ts';
import { type SharedStack, shareStack } from '../support/shared-stack.ts';

let stack: SharedStack;
let key: string;
let shirt: Buffer;
beforeAll(async () => {
  stack = await shareStack();
  key = (await stack.key()).key;
  shirt = await drawnShirt({ width: 480, height: 600, format: 'jpeg' });
});
afterAll(() => stack.stop());

const CLASSIFY = '/taxonomy/v1/taxonomy';

const classifyForm = (form: FormData, headers: Record<string, string> = {}) =>
  fetch(`${stack.url}${CLASSIFY}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: form,
  });
const classify = (body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${stack.url}${CLASSIFY}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
const photoForm = (image: Uint8Array, attributes?: string): FormData => {
  const form = new FormData();
  form.set('image', new Blob([Uint8Array.from(image)]), 'photo');
  if (attributes !== undefined) form.set('attributes', attributes);
  return form;
};

describe('a garment is classified', () => {
  test('from a photo alone, with measured colours', async () => {
    const response = await classifyForm(photoForm(shirt));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      requestId: response.headers.get('x-request-id'),
      modelVersion: expect.stringMatching(/^garment-class@/),
      category: { region: 'top', source: 'model' },
      evidence: { image: { class: 't-shirt', calibrated: true }, text: null },
      attributes: { colors: [{ source: 'measured' }] },
    });
  });

  test('from a cut-out, taken as it is', async () => {
    const response = await classifyForm(
      photoForm(await transparentShirt({ width: 300, height: 300, format: 'png' })),
    );
    expect(await response.json()).toMatchObject({ category: { region: 'top' } });
  });

  test('from photo and feed row together, with their agreement', async () => {
    const agreeing = await classifyForm(photoForm(shirt, '{"title":"T-Shirt blau"}'));
    expect(await agreeing.json()).toMatchObject({
      status: 'classified',
      category: { id: 't_shirt', source: 'fused' },
      evidence: { agreement: true },
    });
    const other = await classifyForm(photoForm(shirt, '{"title":"Leather ankle boots"}'));
    expect(await other.json()).toMatchObject({
      evidence: { agreement: false },
      review: { needed: true, reasons: expect.arrayContaining(['image-text-disagree']) },
    });
  });

  test('in a batch, in which an invalid item affects no other', async () => {
    const response = await classify({
      items: [
        { id: 'a', attributes: { title: 'Winter boots' } },
        { id: 'b', image_base64: '***' },
        { id: 'c', image_base64: shirt.toString('base64') },
        { id: 'd', image_base64: Buffer.from('GIF89a').toString('base64') },
      ],
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      items: [
        { id: 'a', status: 'classified' },
        { id: 'b', problem: { type: 'invalid-request', status: 400 } },
        { id: 'c', category: { region: 'top' } },
        { id: 'd', problem: { type: 'unsupported-media-type', status: 415 } },
      ],
    });
  });
});

describe('the quota', () => {
  const row = (title: unknown) => ({ attributes: { title } });
  const photo = () => ({ image_base64: shirt.toString('base64') });
  /** Creates a key of its own client; returns functions that send with it, and tell what is left. */
  async function meter(quotaPerDay: number) {
    const { key: own } = await stack.key({ client: `meter-${quotaPerDay}`, quotaPerDay });
    const authorization = `Bearer ${own}`;
    return {
      send: (items: object[], signal?: AbortSignal) =>
        classify({ items }, { authorization }, signal),
      async left(): Promise<number> {
        const usage = await fetch(`${stack.url}/intake/v1/usage`, { headers: { authorization } });
        return ((await usage.json()) as { quota: { remaining: number } }).quota.remaining;
      },
    };
  }

  test('of a batch is what its items cost, and those that fail cost nothing', async () => {
    const { send, left } = await meter(100);
    const mixed = [row('Jeans'), row(['no text']), photo(), { image_base64: '***' }, row('Boots')];
    const response = await send(mixed);
    expect(response.headers.get('ratelimit')).toContain('"day";r=97;');
    expect(await left()).toBe(97);
    expect((await send([row(7), {}])).status).toBe(200);
    expect(await left()).toBe(97);
    expect((await send([])).status).toBe(400);
    expect(await left()).toBe(97);
  });

  test('rejects a batch that has more items than units are left, and charges nothing', async () => {
    const { send, left } = await meter(5);
    expect((await send([row('Jeans'), row('Boots')])).status).toBe(200);
    const response = await send([row('Jeans'), row('Boots'), row('Hat'), row('Coat')]);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await response.json()).toMatchObject({
      type: 'quota-exceeded',
      detail: expect.stringContaining("costs 4 units, and 3 of today's 5 are left"),
    });
    await expect.poll(left).toBe(3);
    // Each takes one unit before it is read: of three at once, none may find a second one.
    const many = await Promise.all(Array.from({ length: 5 }, () => send([row('Hat'), row('Cap')])));
    const served = many.filter(({ status }) => status === 200).length;
    expect(served).toBeLessThanOrEqual(1);
    await expect.poll(left).toBe(3 - 2 * served);
  });

  test('of a batch whose client hangs up is that of the items that were worked on', async () => {
    const { send, left } = await meter(60);
    const items = Array.from({ length: 50 }, photo);
    const hangUp = new AbortController();
    const sent = send(items, hangUp.signal).catch(() => 'hung up');
    await expect.poll(left).toBe(10); // all are reserved
    hangUp.abort();
    expect(await sent).toBe('hung up');
    await expect.poll(left).toBeGreaterThan(10);
    const settled = await left();
    expect(settled).toBeLessThanOrEqual(60);
    expect((await send([row('Jeans')])).status).toBe(200);
    await expect.poll(left).toBeGreaterThanOrEqual(settled - 1);
  });
});

describe('a classification is rejected', () => {
  const tiny = () =>
    sharp({ create: { width: 20, height: 400, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
  const large = () =>
    sharp({ create: { width: 8192, height: 6145, channels: 3, background: 'red' } })
      .png()
      .toBuffer();

  test.each([
    ['an image under 32 px', tiny, 422, 'unprocessable-image'],
    ['too many pixels', large, 413, 'payload-too-large'],
    ['no image in its bytes', async () => Buffer.from('hello'), 415, 'unsupported-media-type'],
    ['a damaged image', async () => shirt.subarray(0, 3000), 400, 'invalid-request'],
  ])('with %s', async (_, image, status, type) => {
    const response = await classifyForm(photoForm(await image()));
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await response.json()).toMatchObject({ type });
  });
});
