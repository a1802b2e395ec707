import sharp from 'sharp';
import { type Matte, subjectBox } from '../src/imaging/picture.ts';
import { decode } from '../workers/inference/codec.ts';
import { cutOut } from '../workers/inference/cut-out.ts';
import { matteOfMask } from '../workers/inference/garments/cut-out.ts';
import { GROUPS, PART_OF } from '../workers/inference/garments/groups.ts';
import { parseGarments } from '../workers/inference/garments/parse.ts';
import { type Outfit, separateGarments } from '../workers/inference/garments/separate.ts';
import type { Session } from '../workers/inference/session.ts';

export const MAX_PIXELS = 100_000_000;
const HALF = 127;

function cpuMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Runs a task and returns its CPU time with its result. */
async function timed<T>(task: () => Promise<T>): Promise<{ result: T; millis: number }> {
  const before = cpuMillis();
  const result = await task();
  return { result, millis: cpuMillis() - before };
}

interface Separated {
  outfit: Outfit | undefined;
  /** Of the whole subject. */
  matte: Matte;
  /** For each pixel the part it is taken for: of the garment with the largest alpha, from one half on. */
  parts: Uint8Array;
  /** The same for groups. */
  groups: Uint8Array;
  cutOutMillis: number;
  separationMillis: number;
}

/** Separates the garments of one photo as a request would. @param image an image file */
export async function separate(
  remover: Session,
  parser: Session,
  image: Buffer,
): Promise<Separated> {
  const { result: cut, millis: cutOutMillis } = await timed(() =>
    cutOut(remover, image, MAX_PIXELS),
  );
  const alpha = await sharp(cut.file).extractChannel('alpha').raw().toBuffer();
  const { pixels } = await decode(image, MAX_PIXELS);
  const matte = { data: new Uint8Array(alpha), width: pixels.width, height: pixels.height };
  const parts = new Uint8Array(alpha.length);
  const groups = new Uint8Array(alpha.length);
  const box = subjectBox(matte.data, matte.width);
  if (!box) return { outfit: undefined, matte, parts, groups, cutOutMillis, separationMillis: 0 };
  const { result, millis: separationMillis } = await timed(async () => {
    const outfit = separateGarments(await parseGarments(parser, pixels, box), matte);
    const mattes = outfit.garments.map((garment) =>
      matteOfMask(garment.mask, outfit.region, garment.box, matte),
    );
    return { outfit, mattes };
  });
  const best = new Uint8Array(alpha.length);
  result.outfit.garments.forEach((garment, i) => {
    const { data } = result.mattes[i]!;
    const { left, top, width } = garment.box;
    const group = GROUPS.findIndex(({ id }) => id === garment.group);
    data.forEach((value, at) => {
      const pixel = (top + Math.floor(at / width)) * matte.width + left + (at % width);
      if (value <= Math.max(HALF, best[pixel]!)) return;
      best[pixel] = value;
      parts[pixel] = PART_OF[group]!;
      groups[pixel] = group;
    });
  });
  return { outfit: result.outfit, matte, parts, groups, cutOutMillis, separationMillis };
}
