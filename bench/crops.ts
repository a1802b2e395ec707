import { closeSync, createWriteStream, openSync, writeSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import sharp from 'sharp';
import { findModel, PARSER_ID, readCatalog } from '../models/catalog.ts';
import { toMatte } from '../src/imaging/matte.ts';
import { type Box, fullBox, type Pixels, subjectBox } from '../src/imaging/picture.ts';
import { decodeSmall } from '../workers/inference/codec.ts';
import { levelsFor } from '../workers/inference/cut-out.ts';
import { alphaOf, SIDE_PIXELS, wornZones } from '../workers/inference/garment-view.ts';
import { parseGarments } from '../workers/inference/garments/parse.ts';
import { separateGarments } from '../workers/inference/garments/separate.ts';
import { segment } from '../workers/inference/segment.ts';
import type { Session } from '../workers/inference/session.ts';
import { openOne } from './garments.ts';

/** Side of a crop, pixels; models/training/class_data.py reads as many. */
const CROP_PIXELS = 256;
/** Around a garment, on each side, as a share of its box. */
const MARGIN = 0.2;
const MAX_PIXELS = 100_000_000;

/** One of the crops of a photo. */
interface Crop {
  /** `photo` is all of it; `zone` as the engine looks at worn garments; `piece` is one garment of the parse network. */
  kind: 'photo' | 'zone' | 'piece';
  /** Group of the parse network, for a piece. */
  group: string | undefined;
  /** Of all that is worn, or of the subject. */
  share: number;
  /** What it shows of the photo, which has been made smaller to `width` x `height`. */
  region: Box;
  alpha: Uint8Array;
}

function grown({ left, top, width, height }: Box, image: Pixels): Box {
  const [across, down] = [Math.round(MARGIN * width), Math.round(MARGIN * height)];
  const from = { left: Math.max(0, left - across), top: Math.max(0, top - down) };
  return {
    ...from,
    width: Math.min(image.width, left + width + across) - from.left,
    height: Math.min(image.height, top + height + down) - from.top,
  };
}

/** Returns colours, alpha of the garment and alpha of the subject, stretched to a square; plane after plane. */
async function planesOf(pixels: Pixels, whole: Uint8Array, crop: Crop): Promise<Buffer> {
  const { width, height } = pixels;
  const planes = [
    { data: pixels.data, channels: 3 },
    { data: crop.alpha, channels: 1 },
    { data: whole, channels: 1 },
  ] as const;
  const squares = planes.map(({ data, channels }) => {
    const image = sharp(data, { raw: { width, height, channels } })
      .extract(crop.region)
      .resize(CROP_PIXELS, CROP_PIXELS, { fit: 'fill' });
    return (channels === 1 ? image.extractChannel(0) : image).raw().toBuffer();
  });
  return Buffer.concat(await Promise.all(squares));
}

async function cropsOf(remover: Session, parser: Session, file: string) {
  const { pixels } = await decodeSmall(await readFile(file), MAX_PIXELS, SIDE_PIXELS);
  const { probabilities, region } = await segment(remover, pixels, undefined);
  const matte = toMatte(probabilities, pixels, levelsFor(probabilities, region), region);
  const whole: Crop = {
    kind: 'photo',
    group: undefined,
    share: 1,
    region: fullBox(pixels),
    alpha: matte.data,
  };
  const box = subjectBox(matte.data, matte.width);
  const outfit = box && separateGarments(await parseGarments(parser, pixels, box), matte);
  if (!outfit?.person) return { pixels, matte, person: false, crops: [whole] };
  const worn = [
    ...wornZones(outfit, matte).map(({ share, alpha }) => ({
      kind: 'zone' as const,
      share,
      alpha,
    })),
    ...outfit.garments.map((garment) => ({
      kind: 'piece' as const,
      group: garment.group,
      share: garment.areaShare,
      alpha: alphaOf([garment], outfit, matte),
    })),
  ];
  const crops = worn.flatMap((each): Crop[] => {
    const own = subjectBox(each.alpha, matte.width);
    return own ? [{ group: undefined, ...each, region: grown(own, pixels) }] : [];
  });
  return { pixels, matte, person: true, crops: [whole, ...crops] };
}

/** Writes garments of photos as the engine looks at them: what the classifier is trained on. */
export async function run(argv: string[]): Promise<void> {
  const command = new Command('bench crops')
    .description('Writes crops.jsonl and crops.bin: garments of photos, to train the classifier.')
    .argument('<photos...>', 'files')
    .requiredOption('--out <folder>', 'is made if there is none')
    .parse(argv, { from: 'user' });
  const { out } = command.opts<{ out: string }>();
  sharp.concurrency(1);
  const catalog = readCatalog(resolve(process.env.SELVAGE_HOME || '.selvage', 'models'));
  const remover = await openOne(findModel(catalog, 'garment-cutout'));
  const parser = await openOne(findModel(catalog, PARSER_ID));
  await mkdir(out, { recursive: true });
  const list = createWriteStream(join(out, 'crops.jsonl'));
  const planes = openSync(join(out, 'crops.bin'), 'w');
  for (const file of command.args) {
    const { pixels, matte, person, crops } = await cropsOf(remover, parser, file);
    for (const crop of crops) {
      const { alpha: _, ...facts } = crop;
      const { width, height } = pixels;
      list.write(`${JSON.stringify({ file, width, height, person, ...facts })}\n`);
      writeSync(planes, await planesOf(pixels, matte.data, crop));
    }
  }
  closeSync(planes);
  list.end();
}
