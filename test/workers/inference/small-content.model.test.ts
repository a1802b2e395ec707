import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { scoresOf } from '../../../bench/matte-scores.ts';
import { findModel, readCatalog } from '../../../models/catalog.ts';
import { decode } from '../../../workers/inference/codec.ts';
import {
  findSubject,
  QUICK_EDGES,
  type QualitySettings,
} from '../../../workers/inference/cut-out.ts';
import { openSession, type Session } from '../../../workers/inference/session.ts';

/** Subjects that take a hundredth of the image, on a ground of one colour. */

const SIZE = { width: 1200, height: 800 };
const SHAPES = {
  shirt: (fill: string) =>
    `<path fill="${fill}" d="M142 72 88 94 42 158 84 194 108 168V342q92 14 184 0V168l24 26 42-36-46-64-54-22q-58 34-116 0z"/>`,
  trousers: (fill: string) =>
    `<path fill="${fill}" d="M120 20h160l30 360h-80l-30-240-30 240H90z"/>`,
  bag: (fill: string) =>
    `<path fill="${fill}" d="M60 160h280l30 210H30z"/><path stroke="${fill}" d="M130 170V110q0-70 70-70t70 70v60" stroke-width="18" fill="none"/>`,
  ring: (fill: string) =>
    `<circle cx="200" cy="200" r="150" stroke="${fill}" stroke-width="60" fill="none"/>`,
} as const;

let runs = 0;
let session: Session;
beforeAll(async () => {
  const model = findModel(readCatalog('nowhere'), 'garment-cutout');
  const { runAll, ...loaded } = await openSession(model, 'cpu', 1);
  session = {
    ...loaded,
    async run(input, size) {
      runs++;
      return (await runAll([input], size))[0]!;
    },
  };
});

interface Scene {
  shape: keyof typeof SHAPES;
  side: number;
  fill: string;
  /** Transparent if absent. */
  ground?: string;
  format?: 'png' | 'jpeg';
  extra?: string;
}

/** Draws a scene; its matte is that of the shape alone. */
async function draw({ shape, side, fill, ground, format = 'png', extra = '' }: Scene) {
  const own = `<svg x="730" y="190" width="${side}" height="${side}" viewBox="0 0 400 400">${SHAPES[shape](fill)}</svg>`;
  const svg = (below: string) =>
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}">${below}${own}</svg>`,
      ),
    );
  const below = ground ? `<rect width="100%" height="100%" fill="${ground}"/>` : '';
  const image = svg(`${below}${extra}`);
  const file = await (ground ? image.removeAlpha() : image).toFormat(format).toBuffer();
  const data = await svg('').ensureAlpha().extractChannel('alpha').raw().toBuffer();
  return { file, matte: { data, ...SIZE } };
}

async function scoreOf(scene: Scene, preset: QualitySettings) {
  const { file, matte } = await draw(scene);
  runs = 0;
  const found = await findSubject(session, await decode(file, 1e7), preset, undefined);
  return { ...scoresOf(found.matte, matte), runs };
}

const ONE_PASS: QualitySettings = { edges: QUICK_EDGES };
const BALANCED: QualitySettings = {
  ...ONE_PASS,
  secondPass: { maxShare: 0.6, maxConfidence: 0.982 },
};
const DUST = '<rect x="90" y="700" width="1" height="1" fill="#000"/>';

describe('is found', () => {
  test.each<Scene>([
    { shape: 'shirt', side: 60, fill: '#222226', ground: '#c02030' },
    { shape: 'shirt', side: 100, fill: '#e6c24a', ground: '#20a060' },
    { shape: 'shirt', side: 100, fill: '#2c5784', ground: '#ffffff', format: 'jpeg' },
    { shape: 'shirt', side: 100, fill: '#2c5784', ground: '#ffffff', extra: DUST },
    { shape: 'shirt', side: 100, fill: '#2c5784' },
    { shape: 'trousers', side: 60, fill: '#2c5784', ground: '#e6e6e6' },
    { shape: 'trousers', side: 100, fill: '#f4f4f0', ground: '#c02030', format: 'jpeg' },
    { shape: 'trousers', side: 150, fill: '#222226', ground: '#e8e000' },
    { shape: 'bag', side: 60, fill: '#a3232b', ground: '#808080' },
    { shape: 'bag', side: 100, fill: '#e6c24a', ground: '#204060' },
    { shape: 'bag', side: 150, fill: '#f4f4f0', ground: '#20a060' },
    { shape: 'ring', side: 100, fill: '#a3232b', ground: '#20a060' },
    { shape: 'ring', side: 150, fill: '#2c5784', ground: '#c02030' },
  ])('$shape of $side pixels, $fill on $ground', async (scene) => {
    const { iou, runs } = await scoreOf(scene, BALANCED);
    expect(iou).toBeGreaterThanOrEqual(0.9);
    expect(runs).toBeLessThanOrEqual(2);
  });
});

test('one pass is enough', async () => {
  const scene: Scene = { shape: 'shirt', side: 100, fill: '#222226', ground: '#c02030' };
  expect(await scoreOf(scene, ONE_PASS)).toMatchObject({ runs: 1 });
  expect((await scoreOf(scene, ONE_PASS)).iou).toBeGreaterThan(0.9);
});
