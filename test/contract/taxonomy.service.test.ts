import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { formWith, keyClient } from '../support/client.ts';
import { claimedPng, drawnShirt, transparentShirt } from '../support/images.ts';
import { intakeClient } from '../support/intake.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack, ask, postJson } = await useSharedStack();
const shirt = await drawnShirt({ width: 480, height: 600, format: 'jpeg' });

const CLASSIFY = '/taxonomy/v1/taxonomy';

const classifyPhoto = (image: Uint8Array, attributes?: string) =>
  ask('POST', CLASSIFY, { body: formWith({ image, attributes }) });

describe('a garment is classified', () => {
  test('from a photo alone, with measured colours', async () => {
    const response = await classifyPhoto(shirt);
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
    const response = await classifyPhoto(
      await transparentShirt({ width: 300, height: 300, format: 'png' }),
    );
    expect(await response.json()).toMatchObject({ category: { region: 'top' } });
  });

  test('from photo and feed row together, with their agreement', async () => {
    const agreeing = await classifyPhoto(shirt, '{"title":"T-Shirt blau"}');
    expect(await agreeing.json()).toMatchObject({
      status: 'classified',
      category: { id: 't_shirt', source: 'fused' },
      evidence: { agreement: true },
    });
    const other = await classifyPhoto(shirt, '{"title":"Leather ankle boots"}');
    expect(await other.json()).toMatchObject({
      evidence: { agreement: false },
      review: { needed: true, reasons: expect.arrayContaining(['image-text-disagree']) },
    });
  });

  test('in a batch, in which an invalid item affects no other', async () => {
    const response = await postJson(CLASSIFY, {
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
    const client = keyClient(stack, own);
    const headers = { 'content-type': 'application/json' };
    return {
      send: (items: object[], signal: AbortSignal | null = null) =>
        client.ask('POST', CLASSIFY, { headers, body: JSON.stringify({ items }), signal }),
      left: intakeClient(stack, own).quotaLeft,
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
  const red = (width: number, height: number) => () =>
    sharp({ create: { width, height, channels: 3, background: 'red' } })
      .png()
      .toBuffer();

  test.each([
    ['an image under 32 px', red(20, 400), 422, 'unprocessable-image'],
    ['too many pixels', async () => claimedPng(8192, 6145), 413, 'payload-too-large'],
    ['no image in its bytes', async () => Buffer.from('hello'), 415, 'unsupported-media-type'],
    ['a damaged image', async () => shirt.subarray(0, 3000), 400, 'invalid-request'],
  ])('with %s', async (_, image, status, type) => {
    const response = await classifyPhoto(await image());
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await response.json()).toMatchObject({ type });
  });
});
