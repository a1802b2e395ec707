import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Engine } from '../workers/inference/pool.ts';
import { faultsByColour } from './ground-faults.ts';

/** The folders of an evaluation whose photos have no references: each is a kind. */
const FOLDERS = ['second-shop'];

/** What is wrong with the cut-outs of photos on an even ground, as the photos alone show it. */
export interface UnlabelledRow {
  kind: string;
  /** Of them, those on an even ground are judged. */
  photos: number;
  judged: number;
  /** With a hole in the subject, per 100 that are judged; and of these, not asked for. */
  wrongHolesPer100: number;
  /** With kept ground. */
  keptGroundPer100: number;
  /** Photos with either, for which no person is asked. */
  unasked: string[];
}

const imagesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).filter((name) => /\.(jpe?g|png|webp)$/i.test(name));
  } catch {
    return []; // the evaluation has no such folder
  }
};

async function judge({ removeBackground }: Engine, file: string) {
  const { file: cutOut, review } = await removeBackground(await readFile(file));
  const raw = { resolveWithObject: true } as const;
  const photo = await sharp(file)
    .autoOrient()
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer(raw);
  const alpha = await sharp(cutOut).extractChannel('alpha').raw().toBuffer();
  const { width, height } = photo.info;
  const faults = faultsByColour(
    { data: alpha, width, height },
    { data: photo.data, width, height },
  );
  return { faults, asks: review.needed };
}

async function measureFolder(
  engine: Engine,
  folder: string,
  kind: string,
  limit: number,
): Promise<UnlabelledRow[]> {
  const images = imagesIn(join(folder, kind)).sort().slice(0, limit);
  const counts = { judged: 0, holes: 0, kept: 0 };
  const unasked: string[] = [];
  for (const image of images) {
    const { faults, asks } = await judge(engine, join(folder, kind, image));
    if (!faults) continue;
    counts.judged++;
    if (faults.hole > 0) counts.holes++;
    if (faults.kept > 0) counts.kept++;
    if (faults.hole + faults.kept > 0 && !asks) unasked.push(image);
  }
  if (counts.judged === 0) return [];
  const per100 = (count: number) => (100 * count) / counts.judged;
  const figures = { wrongHolesPer100: per100(counts.holes), keptGroundPer100: per100(counts.kept) };
  return [{ kind, photos: images.length, judged: counts.judged, ...figures, unasked }];
}

/** Judges cut-outs of an evaluation's photos without references. @param limit photos of each kind at most */
export async function measureUnlabelled(
  engine: Engine,
  folder: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<UnlabelledRow[]> {
  const rows: UnlabelledRow[] = [];
  for (const kind of FOLDERS) rows.push(...(await measureFolder(engine, folder, kind, limit)));
  return rows;
}
