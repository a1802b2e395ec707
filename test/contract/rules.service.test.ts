import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../packages/client/src/client.ts';
import { formWith, keyClient, pointersOf, postForm } from '../support/client.ts';
import { readFeed } from '../support/feed-client.ts';
import { drawnShirt } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { useCatalogue } from '../support/use-stack.ts';

/** Rules of marketplaces: packs, verdicts, and what `fixRules` makes right. */

const RULES = '/intake/v1/rules';
const Pack = z.looseObject({ name: z.string(), version: z.string() });
const packOf = async (response: Response) => Pack.parse(await response.json());
const packsOf = async (response: Response) =>
  z.object({ rules: z.array(Pack) }).parse(await response.json()).rules;
const SQUARE = {
  title: 'Our shop',
  rules: { aspect: { min: 1, max: 1 }, background: { color: '#ffffff' } },
};

const { stack, shop, key, feeds, intake } = await useCatalogue();
const shirt = await drawnShirt({ width: 600, height: 800, format: 'png' });
const other = (await stack.key({ client: 'other' })).key;

const call = (method: string, path: string, body?: unknown, as = key): Promise<Response> =>
  keyClient(stack, as).sendJson(method, path, body);

const send = (fields: Record<string, string>, as = key): Promise<Response> =>
  postForm(stack, formWith({ image: shirt, ...fields }), { key: as });

describe('rule packs', () => {
  test('that are built in are listed with their sources, and cannot be changed', async () => {
    const rules = await packsOf(await call('GET', RULES));
    const expected = ['amazon-main', 'google-merchant', 'zalando-packshot'];
    expect(rules.map(({ name }) => name)).toEqual(expected);
    expect(rules[0]).toMatchObject({
      builtIn: true,
      pack: { sources: [{ checkedOn: '2026-11-23' }, {}, {}] },
    });
    expect(await (await call('GET', `${RULES}/amazon-main`)).json()).toEqual(rules[0]);
    for (const method of ['PUT', 'DELETE'])
      expect((await call(method, `${RULES}/amazon-main`, SQUARE)).status).toBe(409);
  });

  test('of a client are created, replaced, read, listed and deleted, by it alone', async () => {
    const path = `${RULES}/our-shop`;
    const created = await call('PUT', path, SQUARE);
    expect(created.status).toBe(201);
    const pack = await packOf(created);
    const expected = { name: 'our-shop', builtIn: false, pack: SQUARE, links: { self: path } };
    expect(pack).toMatchObject(expected);
    const replaced = await call('PUT', path, { ...SQUARE, title: 'Another' });
    expect(replaced.status).toBe(200);
    expect((await packOf(replaced)).version).not.toBe(pack.version);
    await call('PUT', path, SQUARE);
    expect(await (await call('GET', path)).json()).toMatchObject({ version: pack.version });
    expect((await call('GET', path, undefined, other)).status).toBe(404);
    expect((await call('DELETE', path, undefined, other)).status).toBe(404);
    expect(await packsOf(await call('GET', RULES, undefined, other))).toHaveLength(3);
    expect(await packsOf(await call('GET', RULES))).toHaveLength(4);
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('DELETE', path)).status).toBe(404);
  });

  test.each([
    ['an unknown rule', { rules: { colour: '#ffffff' } }, '/rules'],
    ['contradictory bounds', { rules: { aspect: { min: 2, max: 1 } } }, '/rules/aspect/min'],
    ['a number that is none', { rules: { aspect: { min: 'NaN' } } }, '/rules/aspect/min'],
    ['no rules', {}, '/rules'],
  ])('with %s are rejected with a pointer', async (_, body, pointer) => {
    const response = await call('PUT', `${RULES}/bad`, { title: 'x', ...body });
    expect(response.status).toBe(400);
    expect(await pointersOf(response)).toContain(pointer);
  });

  test('are bounded in name, size and number', async () => {
    expect((await call('PUT', `${RULES}/Not%20a%20name`, SQUARE)).status).toBe(404);
    const long = { url: `https://shop.example/${'a'.repeat(250)}`, checkedOn: '2026-11-23' };
    const sources = Array.from({ length: 7 }, () => long);
    expect((await call('PUT', `${RULES}/long`, { ...SQUARE, sources })).status).toBe(400);
    expect((await call('PUT', `${RULES}/long`, 'x'.repeat(20_000))).status).toBe(413);
    const { key: many } = await stack.key({ client: 'many' });
    for (let i = 0; i < 50; i++)
      expect((await call('PUT', `${RULES}/pack-${i}`, SQUARE, many)).status).toBe(201);
    expect((await call('PUT', `${RULES}/pack-50`, SQUARE, many)).status).toBe(409);
    expect((await call('PUT', `${RULES}/pack-0`, SQUARE, many)).status).toBe(200);
  });
});

describe('a removal with rules', () => {
  test('says which rules fail, and asks for a person', async () => {
    const response = await send({ rules: 'amazon-main' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-cutout-rules')).toMatch(/^failed; background(, |$)/);
    expect(response.headers.get('x-cutout-review-needed')).toBe('true');
    expect(response.headers.get('x-cutout-review')).toContain('rule:background');
  });

  test('makes right what can be made right', async () => {
    const response = await send({ rules: 'amazon-main', fixRules: 'true' });
    expect(response.headers.get('x-cutout-rules')).toBe('passed');
    const { width, height } = await sharp(await response.arrayBuffer()).metadata();
    expect(Math.max(width, height)).toBeGreaterThanOrEqual(500);
  });

  test('without rules has no header', async () => {
    expect((await send({})).headers.get('x-cutout-rules')).toBeNull();
  });

  test.each([
    ['an unknown pack', { rules: 'amazon-mian' }, '/rules'],
    ["another client's pack", { rules: 'of-other' }, '/rules'],
    ['no name', { rules: '../amazon-main' }, '/rules'],
    ['fixRules alone', { fixRules: 'true' }, '/fixRules'],
    ['the alpha alone', { rules: 'amazon-main', channels: 'alpha' }, '/rules'],
  ])('of %s is rejected', async (_, fields, pointer) => {
    await call('PUT', `${RULES}/of-other`, SQUARE, other);
    const response = await send(fields as Record<string, string>);
    expect(response.status).toBe(400);
    expect(await pointersOf(response)).toEqual([pointer]);
  });

  test('through the client package has verdict and packs', async () => {
    const client = createClient({ baseUrl: stack.url, key });
    const named = await client.rules.put('mine', SQUARE);
    expect(named).toMatchObject({ name: 'mine', pack: SQUARE });
    const { rules, mediaType } = await client.removeBackground(shirt, {
      rules: 'mine',
      fixRules: true,
    });
    expect(rules).toEqual({ passed: true, failed: [] });
    expect(mediaType).toBe('image/png');
    const failed = await client.removeBackground(shirt, { rules: 'mine' });
    expect(failed.rules).toEqual({ passed: false, failed: ['background', 'aspect'] });
    expect((await client.rules.list()).at(-1)).toMatchObject({ name: 'mine' });
    // In metrics, the packs of clients have no names.
    const metrics = await (await fetch(`${stack.workerUrl}/metrics`)).text();
    for (const verdict of ['passed', 'failed'])
      expect(metrics).toContain(`verdicts_total{pack="own",rule="aspect",verdict="${verdict}"}`);
    expect(metrics).toMatch(
      /verdicts_total\{pack="amazon-main",rule="background",verdict="failed"/,
    );
    expect(metrics).not.toContain('mine');
    await client.rules.delete('mine');
    await expect(client.rules.get('mine')).rejects.toMatchObject({ status: 404 });
  });
});

test('a job with rules keeps the pack it was accepted with, and repeats its verdicts from the stored cut-out', async () => {
  await call('PUT', `${RULES}/kept`, SQUARE);
  const options = JSON.stringify({ rules: 'kept', fixRules: true });
  const run = async () => {
    const accepted = await readJob(await intake.post(shirt, { options }));
    await call('DELETE', `${RULES}/kept`);
    return intake.until(accepted.id, 'succeeded');
  };
  const job = await run();
  expect(job.options).toMatchObject({ rules: 'kept', rulePack: SQUARE });
  expect(job.results?.cutout?.rules).toMatchObject({
    pack: 'kept',
    passed: true,
    verdicts: [
      { id: 'background', passed: true, measured: 0, limit: { max: 0.001 } },
      { id: 'aspect', passed: true, measured: 1, limit: { min: 1, max: 1 } },
    ],
  });
  await call('PUT', `${RULES}/kept`, SQUARE);
  const again = await run();
  expect(again.results?.cutout?.rules).toEqual(job.results?.cutout?.rules);
});

test('a feed with rules has verdicts in its reports, and exports what passed', async () => {
  const image = shop.put('/shirt.png', { body: shirt, type: 'image/png' });
  const url = shop.put('/rules.csv', {
    body: `id,title,image_link,price\r\np0,Shirt,${image},9 EUR\r\n`,
    type: 'text/csv',
  });
  const create = async (options: object) => {
    const response = await feeds.postJson({ url, options, export: { background: 'white' } });
    expect(response.status, await response.clone().text()).toBe(202);
    const feed = await readFeed(response);
    await feeds.until(feed.run, 'completed');
    return feed;
  };
  const report = async ({ run }: Awaited<ReturnType<typeof create>>, format: string) =>
    (await feeds.ask('GET', `${feeds.pathOf(run)}/report?format=${format}`)).text();
  const exported = async ({ run }: Awaited<ReturnType<typeof create>>) =>
    (await feeds.ask('GET', `${feeds.pathOf(run)}/export?export=passed`)).text();
  const tooLarge = { title: 'Large', rules: { 'longest-side': { min: 9000 } } };
  await call('PUT', `${RULES}/large`, tooLarge);
  const failing = await create({ rules: 'large' });
  expect(JSON.parse((await report(failing, 'ndjson')).split('\n')[1]!).images[0]).toMatchObject({
    review: { needed: true, reasons: expect.arrayContaining(['rule:longest-side']) },
    rules: { pack: 'large', passed: false, verdicts: [{ id: 'longest-side', passed: false }] },
  });
  expect(await report(failing, 'csv')).toMatch(
    /,rules_passed,rules_failed,[\s\S]*rule:longest-side,false,longest-side: 800,/,
  );
  expect(await report(failing, 'html')).toContain('longest-side is 800, at least 9000.');
  expect(await exported(failing)).toContain(image);
  const passing = await create({ rules: 'amazon-main', fixRules: true });
  const [, line] = (await report(passing, 'ndjson')).split('\n');
  const [shown] = JSON.parse(line!).images;
  expect(shown.rules).toMatchObject({ pack: 'amazon-main', passed: true });
  expect(shown.picture).toMatch(/\.jpg/);
  const picture = await fetch(shown.picture);
  expect(picture.headers.get('content-type')).toBe('image/jpeg');
  expect(await report(passing, 'html')).toContain('Rules of amazon-main: all met.');
});
