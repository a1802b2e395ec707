import { readFile } from 'node:fs/promises';
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OutfitDescription } from '../../src/taxonomy/outfit/outfit-schema.ts';
import { formWith, keyClient } from '../support/client.ts';
import {
  drawnChild,
  drawnChildLying,
  drawnDummy,
  drawnFigure,
  drawnPoster,
} from '../support/figure.ts';
import { claimedPng, drawnShirt } from '../support/images.ts';
import { useSharedStack } from '../support/use-stack.ts';

const PATH = '/taxonomy/v1/garments';
const { stack, key, postJson: post } = await useSharedStack();
const figure = await drawnFigure(400, 800);

const send = (image: Uint8Array, fields: Record<string, string> = {}, token = key) =>
  keyClient(stack, token).ask('POST', PATH, { body: formWith({ ...fields, image }) });

const describeImage = async (image: Uint8Array, fields: Record<string, string> = {}) => {
  const response = await send(image, fields);
  const body = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  return OutfitDescription.parse(body);
};

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#8899aa' } })
    .png()
    .toBuffer();

describe('the garments of a photo', () => {
  test('are named by place and look, with box, colours, insulation and mappings', async () => {
    const { person, image, garments, review, modelVersion } = await describeImage(figure);
    expect(person).toBe(true);
    expect(image).toEqual({ width: 400, height: 800 });
    expect(modelVersion).toMatch(/^garment-parse@/);
    expect(review.reasons).not.toContain('several-people');
    expect(garments.map(({ index }) => index)).toEqual(garments.map((_, i) => i));
    const regions = garments.map(({ region }) => region);
    expect(regions).toEqual(expect.arrayContaining(['top', 'bottom', 'shoes']));
    // Left and right are one item.
    expect(regions.filter((region) => region === 'shoes')).toHaveLength(1);
    const [top, bottom] = ['top', 'bottom'].map(
      (region) => garments.find((garment) => garment.region === region)!,
    );
    expect(top!.classification.attributes.colors[0]).toMatchObject({ source: 'measured' });
    expect(top!.classification.attributes.colorFamily?.id).toMatch(/red|burgundy/);
    expect(bottom!.classification.attributes.colorFamily?.id).toMatch(/blue|navy|denim/);
    expect(bottom!.classification).toMatchObject({
      category: { region: 'bottom', source: 'model' },
      insulation: { clo: expect.any(Number) },
      mappings: { google: expect.any(Number) },
    });
    const { box } = top!;
    expect(box.top + box.height).toBeLessThan(bottom!.box.top + bottom!.box.height);
    for (const { occluded, occludedBy, cutout } of garments) {
      expect(occluded).toBe(occludedBy.length > 0);
      expect(cutout).toBeUndefined();
    }
  });

  test('become items that the outfit engine takes untouched', async () => {
    const { garments, review } = await describeImage(await readFile('docs/pictures/outfit.png'));
    expect(review.reasons).toContain('category-guessed');
    const items = garments.flatMap(({ classification }) => classification.wardrobeItem ?? []);
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
    const regions = items.map(({ region }) => region);
    expect(regions).toEqual(expect.arrayContaining(['top', 'bottom', 'shoes']));
    const weather = { tempC: 22, windMs: 1, humidityPct: 50, condition: 'clear' };
    const response = await post('/look/v1/outfits', { weather, met: 1.6, items });
    const answer = await response.json();
    expect(response.status, JSON.stringify(answer)).toBe(200);
    const { outfits } = z.looseObject({ outfits: z.array(z.looseObject({})) }).parse(answer);
    expect(outfits.length).toBeGreaterThan(0);
  });

  test('come with their cut-outs in an archive, own pixels as they were', async () => {
    const response = await send(figure, { cutouts: 'true' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/zip');
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
    const text = Buffer.from(files['garments.json']!).toString();
    const { garments } = OutfitDescription.parse(JSON.parse(text));
    const photo = await sharp(figure).raw().toBuffer();
    expect(garments.length).toBeGreaterThan(2);
    expect(Object.keys(files)).toHaveLength(garments.length + 1);
    for (const { box, group, index, cutout } of garments) {
      const expected = { file: `${index}-${group}.png`, width: box.width, height: box.height };
      expect(cutout).toMatchObject(expected);
      const file = files[cutout!.file!]!;
      expect(file).toHaveLength(cutout!.bytes);
      const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
      expect(info).toMatchObject({ width: box.width, height: box.height, channels: 4 });
      let opaque = 0;
      let altered = 0;
      for (let i = 0; i < info.width * info.height; i++) {
        if (data[4 * i + 3] !== 255) continue;
        opaque++;
        const x = box.left + (i % box.width);
        const y = box.top + Math.floor(i / box.width);
        const at = 3 * (y * 400 + x);
        for (let c = 0; c < 3; c++) if (data[4 * i + c] !== photo[at + c]) altered++;
      }
      expect(opaque).toBeGreaterThan(0);
      expect(altered).toBe(0);
    }
  });

  test('are the same with and without cut-outs, and in JSON with base64', async () => {
    const alone = await describeImage(figure);
    const response = await post(PATH, { image_base64: figure.toString('base64') });
    const inJson = OutfitDescription.parse(await response.json());
    const archive = await send(figure, { cutouts: 'true' });
    const files = unzipSync(new Uint8Array(await archive.arrayBuffer()));
    const zipped = OutfitDescription.parse(
      JSON.parse(Buffer.from(files['garments.json']!).toString()),
    );
    const shapes = [alone, inJson, zipped].map(({ garments }) =>
      garments.map(({ group, box, confidence }) => ({ group, box, confidence })),
    );
    expect(shapes[1]).toEqual(shapes[0]);
    expect(shapes[2]).toEqual(shapes[0]);
  });

  test('are labelled in the requested language', async () => {
    const response = await send(figure, { options: '{"locale":"de"}' });
    expect(response.headers.get('content-language')).toBe('de');
    const { garments } = OutfitDescription.parse(await response.json());
    const labels = garments.map(({ classification }) => classification.category?.label);
    expect(labels.join(' ')).toMatch(/Hose|Jeans/);
  });
});

describe('photos without an outfit', () => {
  test('of a laid-out garment: no person, and all of it is garment', async () => {
    const shirt = await drawnShirt({ width: 480, height: 480, format: 'jpeg' });
    const { person, garments } = await describeImage(shirt);
    expect(person).toBe(false);
    expect(garments[0]).toMatchObject({ region: 'top' });
    expect(garments.reduce((sum, { areaShare }) => sum + areaShare, 0)).toBeGreaterThan(0.9);
  });

  test('of one colour: nothing, and the review says so', async () => {
    const { person, garments, review } = await describeImage(await plain(300, 300));
    expect({ person, garments }).toEqual({ person: false, garments: [] });
    const expected = { needed: true, reasons: expect.arrayContaining(['no-garment']) };
    expect(review).toMatchObject(expected);
  });

  test('of five people: the largest, and the review says so', async () => {
    const small = await drawnFigure(180, 360);
    const crowd = await sharp({
      create: { width: 1300, height: 820, channels: 3, background: '#dcd8cf' },
    })
      .composite([
        { input: figure, left: 450, top: 10 },
        ...[20, 230, 890, 1100].map((left) => ({ input: small, left, top: 230 })),
      ])
      .png()
      .toBuffer();
    const { garments, review } = await describeImage(crowd);
    expect(garments.length).toBeGreaterThan(0);
    for (const { box } of garments) {
      expect(box.left).toBeGreaterThanOrEqual(430);
      expect(box.left + box.width).toBeLessThanOrEqual(870);
    }
    expect(review.reasons).toContain('several-people');
  });

  test('of a child: a person, whose garments may be taken for those of an adult', async () => {
    const { person, garments } = await describeImage(await drawnChild());
    expect(person).toBe(true);
    expect(garments.map(({ region }) => region)).toContain('top');
  });

  test('of somebody who lies down: a person, or the review asks', async () => {
    const { person, review } = await describeImage(await drawnChildLying());
    expect(person || review.needed).toBe(true);
  });

  test('of a dummy without skin: as laid out', async () => {
    const { person, garments } = await describeImage(await drawnDummy());
    expect(person).toBe(false);
    expect(garments.length).toBeGreaterThan(0);
  });

  test('of a poster of a person: a person, and the review asks', async () => {
    const { person, review } = await describeImage(await drawnPoster());
    expect(person).toBe(true);
    expect(review.needed).toBe(true);
  });

  test('that are tiny are 422, and that are too large 413', async () => {
    const tiny = await send(await plain(20, 300));
    expect(tiny.status).toBe(422);
    const expected = { type: 'unprocessable-image', errors: [{ pointer: '/image' }] };
    expect(await tiny.json()).toMatchObject(expected);
    const huge = await send(claimedPng(8192, 6145));
    expect(huge.status).toBe(413);
  });
});

describe('bad requests', () => {
  test.each([
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['another value of cutouts', { cutouts: 'maybe' }, '/cutouts'],
    ['an unknown option', { options: '{"depth":3}' }, '/options/depth'],
    ['options that are no JSON', { options: '{' }, '/options'],
  ])('with %s are 400 with a pointer', async (_, fields, pointer) => {
    const response = await send(figure, fields as Record<string, string>);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'invalid-request', errors: [{ pointer }] });
  });

  test('without an image, or with something else, are rejected', async () => {
    const empty = await post(PATH, {});
    expect(empty.status).toBe(400);
    expect(await empty.json()).toMatchObject({ errors: [{ pointer: '/image_base64' }] });
    expect((await send(Buffer.from('GIF89a, moving'))).status).toBe(415);
  });

  test('for cut-outs need the scope of cut-outs', async () => {
    const { key: other } = await stack.key({ client: 'classifier', scopes: ['taxonomy:classify'] });
    expect((await send(figure, {}, other)).status).toBe(200);
    const response = await send(figure, { cutouts: 'true' }, other);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ type: 'insufficient-scope' });
  });
});
