import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { findModel, readCatalog } from '../../../models/catalog.ts';
import { cutOut } from '../../../workers/inference/cut-out.ts';
import { openSession, type Session } from '../../../workers/inference/session.ts';
import { drawnFigure } from '../../support/figure.ts';
import { drawnShirt, drawnShirtOnWood } from '../../support/images.ts';

/** Images without a subject, or without a background: they get a response, and a confidence to be doubted. */

const SIZE = { width: 500, height: 600 };
const even = (background: string) => sharp({ create: { ...SIZE, channels: 3, background } });
const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
const OUTLINE =
  'M150 100h200l80 90-50 50-30-30v280h-200v-280l-30 30-50-50z" fill="none" stroke="#000" stroke-width="3';

const IMAGES: Readonly<Record<string, () => Promise<Buffer>>> = {
  white: () => even('#fff').jpeg().toBuffer(),
  grey: () => even('#888').jpeg().toBuffer(),
  black: () => even('#000').jpeg().toBuffer(),
  red: () => even('#c22').jpeg().toBuffer(),
  noise: () =>
    sharp({ create: { ...SIZE, channels: 3, background: '#888', noise } })
      .jpeg()
      .toBuffer(),
  'cloth that fills the image': async () =>
    sharp(await drawnShirt({ width: 900, height: 900, format: 'png' }))
      .extract({ left: 330, top: 400, width: 240, height: 240 })
      .jpeg()
      .toBuffer(),
};

let session: Session;
beforeAll(async () => {
  const { runAll, ...loaded } = await openSession(
    findModel(readCatalog('nowhere'), 'garment-cutout'),
    'cpu',
    1,
  );
  session = { ...loaded, run: async (input, size) => (await runAll([input], size))[0]! };
});

test.each(Object.keys(IMAGES))('%s has a low confidence', async (name) => {
  const { file, confidence } = await cutOut(session, await IMAGES[name]!(), 1e7);
  expect((await sharp(file).metadata()).channels).toBe(4);
  expect(confidence).toBeLessThanOrEqual(0.5);
});

test('a line drawing is its lines, and paper is clear', async () => {
  const drawing = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="500" height="600"><rect width="500" height="600" fill="#fff"/><path d="${OUTLINE}"/></svg>`,
  );
  const { file } = await cutOut(session, await sharp(drawing).png().toBuffer(), 1e7);
  const { data, info } = await sharp(file)
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const alphaAt = (x: number, y: number) => data[y * info.width + x];
  expect(alphaAt(150, 300)).toBeGreaterThan(200);
  for (const [x, y] of [
    [250, 250],
    [180, 400],
    [60, 60],
    [450, 500],
  ] as const)
    expect(alphaAt(x, y)).toBeLessThan(50);
});

test('a collage is for a person to look at', async () => {
  const part = { width: SIZE.width / 2, height: SIZE.height / 2, format: 'png' } as const;
  const photos = [drawnShirt, drawnShirtOnWood, drawnShirt].map((draw) => draw(part));
  const inputs = await Promise.all([...photos, drawnFigure(part.width, part.height)]);
  const collage = await sharp({ create: { ...SIZE, channels: 3, background: '#fff' } })
    .composite(
      inputs.map((input, i) => ({
        input,
        left: part.width * (i % 2),
        top: part.height * Math.floor(i / 2),
      })),
    )
    .jpeg()
    .toBuffer();
  const { review } = await cutOut(session, collage, 1e7);
  expect(review).toEqual({ needed: true, reasons: expect.arrayContaining(['several-subjects']) });
});
