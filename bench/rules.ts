import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import sharp, { type Sharp } from 'sharp';
import { recoverForeground } from '../src/imaging/foreground.ts';
import type { Matte } from '../src/imaging/matte.ts';
import { type Box, fullBox, subjectBox } from '../src/imaging/subject-box.ts';
import { estimateSurroundings } from '../src/imaging/surroundings.ts';
import type { Pixels } from '../src/imaging/tensor.ts';
import type { CutOutOptions } from '../src/output/quality.ts';
import { BUILT_IN_PACKS } from '../src/output/rules/built-in.ts';
import type { RuleId } from '../src/output/rules/pack.ts';
import {
  type JudgedPicture,
  measurePicture,
  reportOf,
  type Verdict,
} from '../src/output/rules/verdicts.ts';
import { createRandom, type Random } from '../test/faults/random.ts';
import { type Engine, startEngine } from '../workers/inference/pool.ts';
import { render } from '../workers/inference/render.ts';
import { EVAL_FOLDER, hasPhotos, type Photo, readPhotos, readReference } from './eval-photos.ts';

const MAX_PIXELS = 100_000_000;
const PACK_NAME = 'amazon-main';
const PACK = BUILT_IN_PACKS.get(PACK_NAME)!;
const WHITE = { r: 255, g: 255, b: 255 } as const;
const VISIBLE_ALPHA = 26;
const SURELY_SUBJECT = 250;
/** Share of the picture that the subject of a right picture takes. */
const RIGHT_FILL = 0.9;

/** A photo of a shop with its matte: the subject as it is to be put into pictures. */
interface Subject {
  rgb: Pixels;
  matte: Matte;
  box: Box;
}

/** A picture that a fault was planted into, as a file. */
interface Planted {
  file: Buffer;
  /** The part of the photo that it shows. */
  canvas: Box;
  /** For a matte that is wider than the subject: by so many pixels. */
  widenedBy?: number;
}

const clone = (pixels: Pixels) => ({ ...pixels, data: Uint8Array.from(pixels.data) });

async function readSubject(photo: Photo): Promise<Subject | undefined> {
  const { data, info } = await sharp(photo.image)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const rgb = { data, width: info.width, height: info.height };
  const { ignore, ...matte } = await readReference(photo);
  // Shadows on the floor are no part of a right picture.
  if (ignore)
    for (let i = 0; i < ignore.length; i++)
      if (ignore[i]! > 0 && matte.data[i]! < SURELY_SUBJECT) matte.data[i] = 0;
  const box = subjectBox(matte.data, matte.width, VISIBLE_ALPHA);
  if (!box) return undefined;
  return { rgb, matte, box };
}

const asInput = ({ data, width, height }: Pixels | Matte, channels: 1 | 3 | 4) =>
  sharp(data, { raw: { width, height, channels } });

/** Returns the subject on a ground, as raw colours; the photo was taken on white. */
function onGround({ rgb, matte }: Subject, ground: (x: number, y: number) => number[]): Pixels {
  const out = clone(rgb);
  for (let i = 0; i < matte.data.length; i++) {
    const colour = ground(i % rgb.width, Math.floor(i / rgb.width));
    const clear = 1 - matte.data[i]! / 255;
    // What shines through the subject is the white of the photo: it is replaced by the new ground.
    for (let c = 0; c < 3; c++) {
      const own = matte.data[i] === 0 ? 255 : out.data[3 * i + c]!;
      out.data[3 * i + c] = Math.max(0, Math.min(255, own + clear * (colour[c]! - 255)));
    }
  }
  return out;
}

/** Returns the canvas around a subject that takes the given share of it, as a box in the photo. */
function canvasFor({ box }: Subject, fill: number): Box {
  const side = Math.round(Math.max(box.width, box.height) / fill);
  return {
    left: box.left - Math.floor((side - box.width) / 2),
    top: box.top - Math.floor((side - box.height) / 2),
    width: side,
    height: side,
  };
}

/** Cuts a canvas out of a photo; beyond it there is the ground. */
async function toCanvas(pixels: Pixels, canvas: Box, ground: number[]): Promise<Sharp> {
  const left = Math.max(0, canvas.left);
  const top = Math.max(0, canvas.top);
  const right = Math.min(pixels.width, canvas.left + canvas.width);
  const bottom = Math.min(pixels.height, canvas.top + canvas.height);
  const [r = 255, g = 255, b = 255] = ground;
  const data = await asInput(pixels, 3)
    .extract({ left, top, width: right - left, height: bottom - top })
    .extend({
      left: left - canvas.left,
      top: top - canvas.top,
      right: canvas.left + canvas.width - right,
      bottom: canvas.top + canvas.height - bottom,
      background: { r, g, b },
    })
    .png()
    .toBuffer();
  return sharp(data);
}

/** Returns the matte of a subject on a canvas. */
function matteOn({ matte }: Subject, canvas: Box): Matte {
  const { width, height } = canvas;
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [column, row] = [x + canvas.left, y + canvas.top];
      if (column < 0 || row < 0 || column >= matte.width || row >= matte.height) continue;
      data[y * width + x] = matte.data[row * matte.width + column]!;
    }
  return { data, width, height };
}

const jpeg = (image: Sharp): Promise<Buffer> =>
  image.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }).toBuffer();

const white = () => [255, 255, 255];
const between = ({ next }: Random, min: number, max: number): number => min + next() * (max - min);

const rightPicture = async (subject: Subject): Promise<Sharp> =>
  toCanvas(onGround(subject, white), canvasFor(subject, RIGHT_FILL), white());

async function draw(subject: Subject, svg: (side: number) => string): Promise<Planted> {
  const picture = await rightPicture(subject);
  const canvas = canvasFor(subject, RIGHT_FILL);
  const file = await jpeg(picture.composite([{ input: Buffer.from(svg(canvas.width)) }]));
  return { file, canvas };
}

const svgOf = (side: number, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${content}</svg>`;

async function plantOffWhite(subject: Subject, random: Random): Promise<Planted> {
  const base = between(random, 225, 250);
  const tint = [between(random, 0, 4), between(random, 0, 4), between(random, 0, 4)];
  const fall = random.next() < 0.3 ? between(random, 3, 12) : 0;
  const ground = (_: number, y: number) =>
    tint.map((t) => Math.round(base + t - (fall * y) / subject.rgb.height));
  const pixels = onGround(subject, ground);
  const canvas = canvasFor(subject, RIGHT_FILL);
  return { file: await jpeg(await toCanvas(pixels, canvas, ground(0, 0))), canvas };
}

async function plantLowFill(subject: Subject): Promise<Planted> {
  const canvas = canvasFor(subject, 0.7);
  return { file: await jpeg(await toCanvas(onGround(subject, white), canvas, white())), canvas };
}

const COLOURS = ['#000000', '#c8102e', '#1e50a0', '#888888', '#d4af37', '#cccccc'] as const;

async function plantBorder(subject: Subject, random: Random): Promise<Planted> {
  const thick = Math.round(between(random, 2, 14));
  const inset = random.next() < 0.5 ? 0 : Math.round(between(random, 4, 16));
  const colour = random.pick(COLOURS);
  return draw(subject, (side) => {
    const at = inset + thick / 2;
    const length = side - 2 * at;
    return svgOf(
      side,
      `<rect x="${at}" y="${at}" width="${length}" height="${length}" fill="none" stroke="${colour}" stroke-width="${thick}"/>`,
    );
  });
}

/** Returns in which corner of a right picture the subject leaves the most room. */
function freestCorner({ matte, box }: Subject): { right: boolean; bottom: boolean } {
  const corners = [false, true].flatMap((bottom) =>
    [false, true].map((right) => {
      let covered = 0;
      for (let y = 0; y < box.height / 4; y++)
        for (let x = 0; x < box.width / 2; x++) {
          const column = right ? box.left + box.width - 1 - x : box.left + x;
          const row = bottom ? box.top + box.height - 1 - y : box.top + y;
          if (matte.data[row * matte.width + column]! > 0) covered++;
        }
      return { right, bottom, covered };
    }),
  );
  return corners.reduce((best, corner) => (corner.covered < best.covered ? corner : best));
}

const WORDS = ['SALE', '-30%', 'NEW', 'Free delivery', 'Best price', '2 for 1'] as const;

async function plantText(subject: Subject, random: Random): Promise<Planted> {
  const { right, bottom } = freestCorner(subject);
  const word = random.pick(WORDS);
  const colour = random.pick(COLOURS);
  const size = between(random, 0.03, 0.07);
  return draw(subject, (side) => {
    const x = right ? 0.97 * side : 0.03 * side;
    const y = bottom ? 0.95 * side : 0.09 * side;
    return svgOf(
      side,
      `<text x="${x}" y="${y}" text-anchor="${right ? 'end' : 'start'}" font-family="DejaVu Sans" font-size="${size * side}" fill="${colour}">${word}</text>`,
    );
  });
}

async function plantWatermark(subject: Subject, random: Random): Promise<Planted> {
  const opacity = between(random, 0.12, 0.4);
  const size = between(random, 0.06, 0.12);
  const grey = random.pick(['#000000', '#444444', '#888888']);
  return draw(subject, (side) => {
    const lines = [0.2, 0.5, 0.8].map(
      (y) =>
        `<text x="${side / 2}" y="${y * side}" text-anchor="middle" font-family="DejaVu Sans" font-size="${size * side}" fill="${grey}" fill-opacity="${opacity}">© shop.example</text>`,
    );
    return svgOf(side, `<g transform="rotate(-30 ${side / 2} ${side / 2})">${lines.join('')}</g>`);
  });
}

async function plantCut(subject: Subject, random: Random): Promise<Planted> {
  const canvas = canvasFor(subject, RIGHT_FILL);
  const { box } = subject;
  const share = between(random, 0.06, 0.25);
  const isAcross = random.next() < 0.5;
  const cut = isAcross
    ? { ...canvas, left: box.left + Math.round(share * box.width) }
    : { ...canvas, height: box.top + Math.round((1 - share) * box.height) - canvas.top };
  return {
    file: await jpeg(await toCanvas(onGround(subject, white), cut, white())),
    canvas: cut,
  };
}

const GROUNDS = [
  [120, 120, 120],
  [60, 80, 120],
  [150, 110, 70],
  [40, 90, 50],
  [190, 190, 195],
] as const;

/** Puts the subject on a coloured ground, for a matte that is then too wide. */
async function onColour(subject: Subject, random: Random): Promise<Planted> {
  const base = random.pick(GROUNDS);
  const grain = () => Math.round(between(random, -4, 4));
  const ground = () => {
    const g = grain();
    return base.map((c) => c + g);
  };
  const canvas = canvasFor(subject, 0.8);
  return { file: await jpeg(await toCanvas(onGround(subject, ground), canvas, [...base])), canvas };
}

const plantFringe = async (subject: Subject, random: Random): Promise<Planted> => ({
  ...(await onColour(subject, random)),
  widenedBy: 2 + Math.floor(3 * random.next()),
});

/** The faults: the rule that is to find them, and whether `fixRules` makes them right. */
const FAULTS: readonly {
  name: string;
  rule: RuleId;
  isFixable: boolean;
  plant(subject: Subject, random: Random): Promise<Planted>;
}[] = [
  { name: 'off-white ground', rule: 'background', isFixable: true, plant: plantOffWhite },
  { name: '70 % fill', rule: 'fill-ratio', isFixable: true, plant: plantLowFill },
  { name: 'border', rule: 'border', isFixable: true, plant: plantBorder },
  { name: 'text', rule: 'overlay', isFixable: true, plant: plantText },
  { name: 'watermark', rule: 'overlay', isFixable: true, plant: plantWatermark },
  { name: 'cut edge', rule: 'cut-by-frame', isFixable: false, plant: plantCut },
  { name: 'fringe', rule: 'fringe', isFixable: true, plant: plantFringe },
];

async function readPicture(file: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(file)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Returns the matte that the network finds. */
async function matteOf(engine: Engine, file: Uint8Array): Promise<Matte> {
  const { file: png } = await engine.removeBackground(file);
  const { data, info } = await sharp(png)
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Returns a matte whose outline lies one pixel farther out. */
function widenOnce({ data, width, height }: Matte): Matte {
  const wide = Uint8Array.from(data);
  for (let i = width; i < data.length - width; i++)
    wide[i] = Math.max(data[i]!, data[i - 1]!, data[i + 1]!, data[i - width]!, data[i + width]!);
  return { data: wide, width, height };
}

/** Returns a matte whose outline lies so many pixels farther out. */
const widen = (matte: Matte, pixels: number): Matte =>
  Array.from({ length: pixels }).reduce((wide: Matte) => widenOnce(wide), matte);

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
    pixels: clone(pixels),
    matte: { ...matte, data: Uint8Array.from(matte.data) },
    opacity: undefined,
  };
  recoverForeground(scene, estimateSurroundings(scene));
  const { file, rules } = await render(scene, options, undefined, MAX_PIXELS, 'min');
  return { file, verdicts: rules?.verdicts ?? [] };
}

interface Judged {
  /** As it is, with its exact matte; for a matte that is too wide, as it is rendered. */
  before: Verdict[];
  /** The same with the network's matte. */
  byNetwork: Verdict[];
  /** After the cut-out with the network's matte was made right. */
  after: Verdict[];
  /** Files to look at. */
  files: { before: Uint8Array; after: Uint8Array };
}

async function judge(
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

const failed = (verdicts: readonly Verdict[]): string[] =>
  verdicts.filter(({ passed }) => !passed).map(({ id }) => id);

const measuredOf = (verdicts: readonly Verdict[], id: string) =>
  verdicts.find((verdict) => verdict.id === id)?.measured;

interface Run {
  /** Undefined if the reference mattes are used instead of the network's. */
  engine: Engine | undefined;
  subjects: readonly Subject[];
  count: number;
  /** The only fault that is planted; all if absent. */
  fault: string | undefined;
  /** Where pictures are written to look at; none if absent. */
  out: string | undefined;
}

async function keep({ out }: Run, name: string, { files }: Judged): Promise<void> {
  if (!out) return;
  await mkdir(out, { recursive: true });
  await writeFile(join(out, `${name}-before.jpg`), files.before);
  await writeFile(join(out, `${name}-after.jpg`), files.after);
}

const spreadOf = (values: readonly unknown[]): string => {
  const sorted = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toPrecision(3);
  return [at(0), at(0.02), at(0.5), at(0.98), at(1)].join(' ');
};

async function measureFaults(run: Run): Promise<void> {
  console.log(
    "\nfault               found     by network's mask  passes after fix   measured: min, 2 %, median, 98 %, max",
  );
  const faults = FAULTS.filter(({ name }) => run.fault === undefined || name === run.fault);
  for (const { name, rule, isFixable, plant } of faults) {
    const random = createRandom(7);
    let found = 0;
    let foundByNetwork = 0;
    let fixed = 0;
    const measured: unknown[] = [];
    const stillFailed: string[] = [];
    for (let i = 0; i < run.count; i++) {
      const subject = run.subjects[i % run.subjects.length]!;
      const judged = await judge(run.engine, subject, await plant(subject, random));
      const isFound = failed(judged.before).includes(rule);
      if (failed(judged.byNetwork).includes(rule)) foundByNetwork++;
      const left = failed(judged.after);
      if (isFound) found++;
      if (left.length === 0) fixed++;
      else stillFailed.push(...left);
      measured.push(measuredOf(judged.before, rule));
      const mark = `${isFound ? 'found' : 'MISSED'}-${left.length === 0 ? 'fixed' : left.join('+')}`;
      await keep(run, `${name.replaceAll(/\W+/g, '-')}-${i}-${mark}`, judged);
    }
    const after = isFixable ? `${fixed} of ${run.count}` : '-';
    const note = isFixable && stillFailed.length > 0 ? `  left: ${stillFailed.join(', ')}` : '';
    console.log(
      `${name.padEnd(20)}${`${found} of ${run.count}`.padEnd(10)}${String(foundByNetwork).padEnd(19)}${after.padEnd(19)}${spreadOf(measured)}${note}`,
    );
  }
}

/** Judges pictures without a fault: on white as they are, and cut out of a coloured ground. */
async function measureClean(run: Run): Promise<void> {
  const random = createRandom(11);
  const alarms = new Map<string, number>();
  const measured = new Map<string, unknown[]>();
  let pictures = 0;
  const note = (verdicts: readonly Verdict[]) => {
    pictures++;
    for (const { id, passed, measured: value } of verdicts) {
      measured.set(id, [...(measured.get(id) ?? []), value]);
      if (!passed) alarms.set(id, (alarms.get(id) ?? 0) + 1);
    }
  };
  for (const [i, subject] of run.subjects.entries()) {
    const canvas = canvasFor(subject, RIGHT_FILL);
    const file = await jpeg(await rightPicture(subject));
    const plain = await judge(run.engine, subject, { file, canvas });
    note(plain.before);
    const colour = { ...(await onColour(subject, random)), widenedBy: 0 };
    const cutOut = await judge(run.engine, subject, colour);
    // The subject of such a photo is small on purpose.
    note(cutOut.before.filter(({ id }) => id !== 'fill-ratio'));
    for (const [kind, judged] of Object.entries({ plain, cutOut })) {
      const left = failed(judged.before).filter((id) => kind === 'plain' || id !== 'fill-ratio');
      if (left.length > 0) await keep(run, `clean-${i}-${kind}-${left.join('+')}`, judged);
    }
  }
  console.log(`\nfalse alarms in ${pictures} pictures without a fault`);
  for (const [id, values] of measured)
    console.log(`${id.padEnd(20)}${String(alarms.get(id) ?? 0).padEnd(6)}${spreadOf(values)}`);
}

const startNetwork = (): Promise<Engine> =>
  startEngine({
    model: 'garment-cutout',
    device: 'auto',
    slots: 1,
    maxPixels: MAX_PIXELS,
    modelsHome: resolve(process.env.SELVAGE_HOME || '.selvage', 'models'),
  });

/** Plants faults into pictures of a shop, and measures which are found and made right. */
export async function run(argv: string[]): Promise<void> {
  const {
    eval: folder,
    count,
    out,
    exact,
    fault,
  } = new Command('bench rules')
    .description('Faults planted into pictures of a shop: found, false alarms, and made right.')
    .option('--eval <folder>', 'photos of a shop on white, with references', EVAL_FOLDER)
    .option('--count <n>', 'pictures of each fault', Number, 50)
    .addOption(
      new Option('--fault <name>', 'plants only this fault').choices(
        FAULTS.map(({ name }) => name),
      ),
    )
    .option('--out <folder>', 'writes the pictures there, to look at')
    .option('--exact', 'uses the reference mattes, not the network: quick', false)
    .parse(argv, { from: 'user' })
    .opts<{ eval: string; count: number; out?: string; exact: boolean; fault?: string }>();
  const photos = hasPhotos(folder) ? await readPhotos(folder) : [];
  const read = await Promise.all(
    photos.filter(({ kind }) => kind.startsWith('store')).map(readSubject),
  );
  const subjects = read.filter((subject) => subject !== undefined);
  if (subjects.length === 0) {
    console.log(`Nothing is measured: ${folder} has no photos of the kind "store".`);
    return;
  }
  const engine = exact ? undefined : await startNetwork();
  try {
    const measured = { engine, subjects, count, fault, out };
    if (fault === undefined) await measureClean(measured);
    await measureFaults(measured);
  } finally {
    await engine?.close();
  }
}
