import sharp from 'sharp';
import { fullBox, type Matte, type Pixels, subjectBox } from '../../src/imaging/picture.ts';
import { recoverForeground } from '../../src/imaging/soft-pixels.ts';
import type { CutOutOptions } from '../../src/output/options.ts';
import { BUILT_IN_PACKS } from '../../src/output/rules/pack.ts';
import {
  type JudgedPicture,
  measurePicture,
  reportOf,
  type Verdict,
} from '../../src/output/rules/verdicts.ts';
import { render } from '../../workers/inference/cut-out.ts';
import type { Engine } from '../../workers/inference/pool.ts';
import type { Planted } from './faults.ts';
import { matteOn, readPicture, type Subject, VISIBLE_ALPHA, widen } from './subject.ts';

/** Of a photo. */
export const MAX_PIXELS = 100_000_000;
const PACK_NAME = 'amazon-main';
const PACK = BUILT_IN_PACKS.get(PACK_NAME)!;
const WHITE = { r: 255, g: 255, b: 255 } as const;

/** Returns the matte that the network finds. */
async function matteOf(engine: Engine, file: Uint8Array): Promise<Matte> {
  const { file: png } = await engine.removeBackground(file);
  const { data, info } = await sharp(png)
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Judges a picture as it is. */
function judgeAsIs(file: Uint8Array, pixels: Pixels, matte: Matte): Verdict[] {
  const { width, height } = pixels;
  const judged: JudgedPicture = {
    picture: { pixels, matte: { ...matte, data: new Uint8Array(width * height).fill(255) } },
    subject: matte,
    box: subjectBox(matte.data, width, VISIBLE_ALPHA),
    photo: { pixels, matte },
    region: fullBox(pixels),
    newGround: WHITE,
    file: { bytes: file.length, mediaType: 'image/jpeg' },
  };
  return reportOf(measurePicture(judged, PACK), PACK_NAME, PACK).verdicts;
}

const OPTIONS: CutOutOptions = {
  format: 'jpeg',
  backgroundColor: '#ffffff',
  rules: PACK_NAME,
  rulePack: PACK,
};

/** Renders a photo with a matte, as a worker does. */
async function renderWith(pixels: Pixels, matte: Matte, options: CutOutOptions) {
  const scene = {
    pixels: { ...pixels, data: Uint8Array.from(pixels.data) },
    matte: { ...matte, data: Uint8Array.from(matte.data) },
    opacity: undefined,
  };
  recoverForeground(scene);
  const { file, rules } = await render(scene, options, undefined, MAX_PIXELS);
  return { file, verdicts: rules?.verdicts ?? [] };
}

/** What is said of a picture. */
export interface Judged {
  /** As it is, with its exact matte; for a matte that is too wide, as it is rendered. */
  before: Verdict[];
  /** The same with the network's matte. */
  byNetwork: Verdict[];
  /** After the cut-out with the network's matte was made right. */
  after: Verdict[];
  /** Files to look at. */
  files: { before: Uint8Array; after: Uint8Array };
}

/**
 * Judges a picture, as it is and after it was made right.
 * @param engine finds the mattes; the exact ones are used if it is absent
 */
export async function judge(
  engine: Engine | undefined,
  subject: Subject,
  planted: Planted,
): Promise<Judged> {
  const { file, canvas, widenedBy } = planted;
  const pixels = await readPicture(file);
  const exact = matteOn(subject, canvas);
  const found = engine ? await matteOf(engine, file) : exact;
  const matte = widenedBy ? widen(found, widenedBy) : found;
  const after = await renderWith(pixels, matte, { ...OPTIONS, fixRules: true });
  const afterwards = { after: after.verdicts };
  if (widenedBy === undefined)
    return {
      before: judgeAsIs(file, pixels, exact),
      byNetwork: judgeAsIs(file, pixels, found),
      ...afterwards,
      files: { before: file, after: after.file },
    };
  const before = await renderWith(pixels, matte, OPTIONS);
  return {
    before: before.verdicts,
    byNetwork: before.verdicts,
    ...afterwards,
    files: { before: before.file, after: after.file },
  };
}

/** Returns the rules that a picture does not meet. */
export const failed = (verdicts: readonly Verdict[]): string[] =>
  verdicts.filter(({ passed }) => !passed).map(({ id }) => id);

/** Returns what was measured for a rule. */
export const measuredOf = (verdicts: readonly Verdict[], id: string) =>
  verdicts.find((verdict) => verdict.id === id)?.measured;
