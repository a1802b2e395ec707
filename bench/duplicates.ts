import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Command } from 'commander';
import sharp from 'sharp';
import {
  createGrouper,
  fingerprintDistance,
  mirroredFingerprint,
  parseFingerprint,
  SAME_DISTANCE,
} from '../src/imaging/fingerprint.ts';
import { startEngine } from '../workers/inference/pool.ts';
import { EVAL_FOLDER, readPhotos } from './eval-photos.ts';
import { markdownTable } from './markdown.ts';

/** What becomes of a picture on its way through shops. */
const COPIES: Readonly<Record<string, (image: Buffer) => Promise<Buffer>>> = {
  'JPEG 60': (image) => sharp(image).jpeg({ quality: 60 }).toBuffer(),
  'half the size': async (image) => {
    const { width } = await sharp(image).metadata();
    return sharp(image)
      .resize(Math.round(width / 2))
      .jpeg({ quality: 85 })
      .toBuffer();
  },
  'crop 5 %': (image) => cropped(image, 0.05),
  'crop 10 %': (image) => cropped(image, 0.1),
  mirrored: (image) => sharp(image).flop().jpeg({ quality: 90 }).toBuffer(),
  'mirrored, crop 5 %, JPEG 60': async (image) =>
    sharp(await cropped(image, 0.05))
      .flop()
      .jpeg({ quality: 60 })
      .toBuffer(),
};

/** Removes a share of both sides, off centre. */
async function cropped(image: Buffer, share: number): Promise<Buffer> {
  const { width, height } = await sharp(image).metadata();
  const region = {
    left: Math.round(0.6 * share * width),
    top: Math.round(0.4 * share * height),
    width: Math.round((1 - share) * width),
    height: Math.round((1 - share) * height),
  };
  return sharp(image).extract(region).jpeg({ quality: 90 }).toBuffer();
}

/** A picture of the evaluation folder, or a copy of it. */
interface Picture {
  file: string;
  /** What it shows; the same on another backdrop. */
  shows: string;
  /** The product, if several photos show it. */
  product: string;
  /** How it was copied; undefined for the original. */
  copy: string | undefined;
  fingerprint: Uint8Array;
}

/** Names what a photo shows by its file: `76-T-Shirt-wood.jpg` and `76-T-Shirt.jpg`, `mh04-green_main-grey.jpg`. */
function namesOf(file: string) {
  const stem = basename(file, extname(file));
  const shows = stem
    .replace(/^(\d+-.+)-(?:white|offwhite|wood|carpet|street)$/, '$1')
    .replace(/^([a-z]+\d+-.+_[a-z\d]+)-\w+$/, '$1');
  return { shows, product: /^[a-z]+\d+(?=-)/.exec(stem)?.[0] ?? shows };
}

async function readPictures(folder: string, limit: number | undefined): Promise<Picture[]> {
  const engine = await startEngine({
    model: 'garment-cutout',
    device: 'cpu',
    slots: 1,
    maxPixels: 50_000_000,
    modelsHome: '.selvage/models',
  });
  const pictures: Picture[] = [];
  async function add(file: string, image: Buffer, copy?: string): Promise<void> {
    const { fingerprint: text = '' } = await engine.viewGarment(image);
    const fingerprint = parseFingerprint(text);
    if (fingerprint) pictures.push({ file, ...namesOf(file), copy, fingerprint });
  }
  try {
    for (const { image: file } of await readPhotos(folder, limit)) {
      const image = await readFile(file);
      await add(file, image);
      for (const [copy, make] of Object.entries(COPIES)) await add(file, await make(image), copy);
    }
  } finally {
    await engine.close();
  }
  return pictures;
}

const distanceOf = (a: Uint8Array, b: Uint8Array): number =>
  Math.min(fingerprintDistance(a, b), fingerprintDistance(mirroredFingerprint(a), b));

/** What two pictures have in common; undefined if the pair says nothing. */
function relationOf(a: Picture, b: Picture): string | undefined {
  if (a.file === b.file) return a.copy ? undefined : b.copy;
  if (a.shows === b.shows) return a.copy || b.copy ? undefined : 'another backdrop';
  if (a.product === b.product) return a.copy || b.copy ? undefined : 'the product in another photo';
  return 'different';
}

/** Returns the distances of all pairs by what they have in common, the shortest first. */
function distances(pictures: readonly Picture[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  pictures.forEach((a, i) => {
    for (const b of pictures.slice(i + 1)) {
      const relation = relationOf(a, b);
      if (!relation) continue;
      const list = found.get(relation) ?? [];
      list.push(distanceOf(a.fingerprint, b.fingerprint));
      found.set(relation, list);
    }
  });
  for (const list of found.values()) list.sort((a, b) => a - b);
  return found;
}

/** Two files that show different things, and how near they come in any of their copies. */
interface NearPair {
  files: readonly [string, string];
  distance: number;
}

/** Returns the nearest pairs of different pictures, for a person to look at. */
function nearestDifferent(pictures: readonly Picture[], count: number): NearPair[] {
  const pairs = new Map<string, NearPair>();
  pictures.forEach((a, i) => {
    for (const b of pictures.slice(i + 1)) {
      if (relationOf(a, b) !== 'different') continue;
      const distance = distanceOf(a.fingerprint, b.fingerprint);
      const name = `${a.file} ${b.file}`;
      if (distance < (pairs.get(name)?.distance ?? Number.POSITIVE_INFINITY))
        pairs.set(name, { files: [a.file, b.file], distance });
    }
  });
  return [...pairs.values()].sort((a, b) => a.distance - b.distance).slice(0, count);
}

const shareWithin = (list: readonly number[], limit: number): string =>
  (list.filter((distance) => distance <= limit).length / list.length).toFixed(3);

/** Groups many fingerprints: each tenth is a copy of an earlier one, the others are mixed from measured ones. */
function timeGroups(pictures: readonly Picture[], rows: number) {
  const points = new Uint8Array(64 * rows);
  let seed = 1;
  const next = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const any = (): Uint8Array => pictures[Math.floor(next() * pictures.length)]!.fingerprint;
  for (let i = 0; i < rows; i++) {
    const at = 64 * i;
    if (i % 10 === 9) {
      const of = 64 * Math.floor(next() * i);
      for (let k = 0; k < 64; k++) points[at + k] = Math.min(255, points[of + k]! + 4 * next());
      continue;
    }
    const [a, b] = [any(), any()];
    for (let k = 0; k < 64; k++) points[at + k] = (a[k]! + b[k]!) / 2 + 60 * (next() - 0.5);
  }
  const before = process.cpuUsage();
  const matchOf = createGrouper(points, rows);
  let copies = 0;
  for (let i = 0; i < rows; i++) if (matchOf(i) && i % 10 === 9) copies++;
  const { user, system } = process.cpuUsage(before);
  return { rows, found: copies / Math.floor(rows / 10), cpuSeconds: (user + system) / 1e6 };
}

interface Settings {
  eval: string;
  limit?: number;
  rows: number;
  near: number;
  json: boolean;
}

/** Prints which share of copies is known by the fingerprints of both, and what it costs to search many. */
export async function run(argv: string[]): Promise<void> {
  const settings = new Command('duplicates')
    .option('--eval <folder>', 'photos with a manifest', EVAL_FOLDER)
    .option('--limit <n>', 'photos of each kind', Number)
    .option('--rows <n>', 'rows of the batch that is searched', Number, 100_000)
    .option('--near <n>', 'nearest pairs of different pictures that are listed', Number, 10)
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Settings>();
  const pictures = await readPictures(settings.eval, settings.limit);
  const { different = [], ...same } = Object.fromEntries(distances(pictures));
  const limits = {
    'as shipped': SAME_DISTANCE,
    'false alarms 1e-4': different[Math.floor(different.length * 1e-4)] ?? 0,
    'false alarms 1e-3': different[Math.floor(different.length * 1e-3)] ?? 0,
  };
  const found = Object.entries(limits).map(([name, limit]) => ({
    name,
    limit,
    falseAlarms: Number(shareWithin(different, limit)),
    shares: Object.fromEntries(
      Object.entries(same).map(([relation, list]) => [relation, Number(shareWithin(list, limit))]),
    ),
  }));
  const near = nearestDifferent(pictures, settings.near);
  const groups = timeGroups(pictures, settings.rows);
  if (settings.json) {
    console.log(JSON.stringify({ pictures: pictures.length, found, near, groups }, null, 2));
    return;
  }
  console.log(`${pictures.length} pictures; ${different.length} pairs are different`);
  const relations = Object.keys(same);
  console.log(
    markdownTable([
      ['share found', 'distance', ...relations],
      ...found.map(({ name, limit, shares }) => [
        name,
        limit.toFixed(1),
        ...relations.map((relation) => shares[relation]!.toFixed(3)),
      ]),
    ]),
  );
  console.log(
    markdownTable([
      ['nearest of different pictures', '', 'distance'],
      ...near.map(({ files, distance }) => [...files, distance.toFixed(1)]),
    ]),
  );
  console.log(
    `${groups.rows} rows: ${groups.cpuSeconds.toFixed(1)} s of CPU, ${groups.found.toFixed(3)} of the copies found`,
  );
}
