import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { findModel, PARSER_ID, readCatalog } from '../../../../models/catalog.ts';
import { subjectBox } from '../../../../src/imaging/picture.ts';
import { decode } from '../../../../workers/inference/codec.ts';
import { cutOut } from '../../../../workers/inference/cut-out.ts';
import { matteOfMask } from '../../../../workers/inference/garments/cut-out.ts';
import { parseGarments } from '../../../../workers/inference/garments/parse.ts';
import { separateGarments } from '../../../../workers/inference/garments/separate.ts';
import { openSession, type Session } from '../../../../workers/inference/session.ts';
import { drawnFigure } from '../../../support/figure.ts';
import { drawnShirt } from '../../../support/images.ts';

/** The bundled network on drawn pictures. */

let remover: Session;
let parser: Session;

async function openModel(id: string): Promise<Session> {
  const { runAll, ...loaded } = await openSession(findModel(readCatalog('nowhere'), id), 'cpu', 1);
  return { ...loaded, run: async (input, size) => (await runAll([input], size))[0]! };
}

beforeAll(async () => {
  [remover, parser] = await Promise.all([openModel('garment-cutout'), openModel(PARSER_ID)]);
});

async function separate(image: Buffer) {
  const { pixels } = await decode(image, 1e7);
  const { file } = await cutOut(remover, image, 1e7);
  const data = new Uint8Array(await sharp(file).extractChannel('alpha').raw().toBuffer());
  const matte = { data, width: pixels.width, height: pixels.height };
  const map = await parseGarments(parser, pixels, subjectBox(data, matte.width)!);
  return { ...separateGarments(map, matte), matte };
}

test('a drawn person wears a top, trousers and shoes', async () => {
  const { person, severalPeople, garments } = await separate(await drawnFigure(400, 800));
  expect({ person, severalPeople }).toEqual({ person: true, severalPeople: false });
  const regions = garments.map(({ region }) => region);
  expect(regions).toContain('top');
  expect(regions).toContain('bottom');
  expect(regions).toContain('shoes');
  const [top, bottom] = ['top', 'bottom'].map(
    (region) => garments.find((garment) => garment.region === region)!,
  );
  expect(top!.box.top).toBeLessThan(bottom!.box.top);
});

test.each([90, 270])('and the same in a photo turned by %d degrees', async (degrees) => {
  const upright = await separate(await drawnFigure(400, 800));
  const turned = await sharp(await drawnFigure(400, 800))
    .rotate(degrees)
    .png()
    .toBuffer();
  const { person, garments, rotation } = await separate(turned);
  expect({ person, rotation }).toEqual({ person: true, rotation: degrees === 90 ? 3 : 1 });
  const regionsOf = (all: typeof garments) => new Set(all.map(({ region }) => region));
  expect(regionsOf(garments)).toEqual(regionsOf(upright.garments));
  const [top, bottom] = ['top', 'bottom'].map(
    (region) => garments.find((garment) => garment.region === region)!,
  );
  const isHeadLeft = degrees === 270;
  expect(top!.box.left < bottom!.box.left).toBe(isHeadLeft);
});

test('a laid-out shirt is garment all over', async () => {
  const image = await drawnShirt({ width: 640, height: 640, format: 'png' });
  const { person, garments, matte, region } = await separate(image);
  expect(person).toBe(false);
  expect(garments.reduce((sum, { areaShare }) => sum + areaShare, 0)).toBeCloseTo(1, 5);
  let area = 0;
  for (const garment of garments)
    area += matteOfMask(garment.mask, region, garment.box, matte).data.filter(
      (alpha) => alpha > 127,
    ).length;
  const whole = matte.data.filter((alpha) => alpha > 127).length;
  expect(area / whole).toBeGreaterThan(0.98);
});
