import { ModelError, modelVersionOf } from '../../models/catalog.ts';
import { fingerprintOf } from '../../src/imaging/fingerprint.ts';
import { toMatte } from '../../src/imaging/matte.ts';
import {
  type Box,
  flattenOnGrey,
  fullBox,
  type Matte,
  type MattedImage,
  type Pixels,
  type Rotation,
  rotatePixels,
  scaleSize,
  subjectBox,
  toTensor,
} from '../../src/imaging/picture.ts';
import type { GarmentMeasurements } from '../../src/queue/job-data.ts';
import { measureColors } from '../../src/taxonomy/photo/color.ts';
import {
  IMAGE_CLASSES,
  type ImageClass,
  ofImageClasses,
} from '../../src/taxonomy/photo/image-classes.ts';
import type { MeasuredGarment } from './child-results.ts';
import { decodeSmall, interleave, onWhiteSquare, resizeMattedImage } from './codec.ts';
import { levelsFor } from './cut-out.ts';
import { matteOfMask } from './garments/cut-out.ts';
import { type GarmentRegion, GROUPS } from './garments/groups.ts';
import { parseOnce } from './garments/parse.ts';
import { type Garment, type Outfit, separateGarments } from './garments/separate.ts';
import { segment } from './segment.ts';
import type { Session } from './session.ts';

/**
 * What covers one part of a body. A jacket over a shirt is one zone: the parse network knows where clothes are better
 * than where one ends and the next begins.
 */
interface WornZone {
  /** Of all that is worn, 0..1. */
  share: number;
  /** Of the zone's garments, a byte for each pixel of the image. */
  alpha: Uint8Array;
  /** Whether what is worn around it says more than it would alone: of clothes, not of shoes or a belt. */
  isClothing: boolean;
  /** For each of `IMAGE_CLASSES` by how much the zone makes it likelier, beside the others. */
  fits: readonly number[];
}

type Zone = 'upper body' | 'legs' | 'feet';

/** Regions that cover the same part of a body. Accessories are zones of their own, by their group. */
const ZONES: Readonly<Partial<Record<GarmentRegion, Zone>>> = {
  top: 'upper body',
  outerwear: 'upper body',
  dress: 'upper body',
  bottom: 'legs',
  shoes: 'feet',
};

/** What is worn where; anything may be what the parse network takes for an accessory. */
// biome-ignore format: a table reads best aligned
const WORN_ON: Readonly<Record<Zone, Partial<Record<GarmentRegion, readonly ImageClass[]>>>> = {
  'upper body': {
    top: ['t-shirt', 'longsleeve', 'tank-top', 'polo', 'shirt', 'blouse', 'bodysuit', 'sweater', 'hoodie', 'vest'],
    outerwear: ['blazer', 'outwear', 'coat'],
    dress: ['dress'],
  },
  legs: { bottom: ['pants', 'jeans', 'leggings', 'shorts', 'skirt', 'tights'] },
  feet: { shoes: ['shoes', 'boots', 'heels', 'sandals', 'flats', 'socks'] },
};

/** How far a class counts that is worn elsewhere: the parse network may be wrong. */
const ELSEWHERE = 0.05;
/**
 * The parse network knows a jacket from a top by more than the classifier does: a class counts by the probability of
 * its region, plus so much, to this power. Fitted to photos of a shop that neither network has seen; see
 * docs/adr/0063-honest-names.md.
 */
const REGION_EVIDENCE = { floor: 0.2, power: 1.5 };

const regionOfGroup = new Map(GROUPS.map(({ id, region }) => [id, region]));

/** Returns how likely what is worn on a zone is of a region, by the parse network, 0..1. */
function regionProbability(garments: readonly Garment[], region: GarmentRegion): number {
  let sum = 0;
  let all = 0;
  for (const { areaShare, alternatives } of garments)
    for (const { group, probability } of alternatives) {
      all += areaShare * probability;
      if (regionOfGroup.get(group) === region) sum += areaShare * probability;
    }
  return all > 0 ? sum / all : 0;
}

function fitsOn(zone: string, garments: readonly Garment[]): number[] {
  const worn = WORN_ON[zone as Zone];
  if (!worn) return IMAGE_CLASSES.map(() => 1);
  const { floor, power } = REGION_EVIDENCE;
  const fits = new Map<ImageClass, number>();
  for (const [region, classes] of Object.entries(worn)) {
    const probability = regionProbability(garments, region as GarmentRegion);
    for (const name of classes) fits.set(name, (floor + probability) ** power);
  }
  return IMAGE_CLASSES.map((name) => fits.get(name) ?? ELSEWHERE);
}

/** Zones that are looked at, at most: the largest. */
const MAX_ZONES = 4;
/** Smaller zones are not looked at: a share of all that is worn. */
const MIN_SHARE = 0.02;
/** Pieces smaller than this share of their zone are errors of the parse network. */
const MIN_PIECE_SHARE = 0.05;

const areaOf = (garments: readonly Garment[]): number =>
  garments.reduce((sum, { areaShare }) => sum + areaShare, 0);

/** Returns the alpha of some garments together, a byte for each pixel of the image. */
export function alphaOf(
  garments: readonly Garment[],
  { region }: Outfit,
  whole: Matte,
): Uint8Array {
  const alpha = new Uint8Array(whole.data.length);
  for (const garment of garments) {
    const { data, width, height } = matteOfMask(garment.mask, region, garment.box, whole);
    const { left, top } = garment.box;
    for (let y = 0; y < height; y++) {
      const start = (top + y) * whole.width + left;
      for (let x = 0; x < width; x++)
        alpha[start + x] = Math.max(alpha[start + x]!, data[y * width + x]!);
    }
  }
  return alpha;
}

/** Returns the zones of what a person wears, the largest first. @param whole matte of the person, of the image's size */
export function wornZones(outfit: Outfit, whole: Matte): WornZone[] {
  const zones = new Map<string, Garment[]>();
  for (const garment of outfit.garments) {
    const name = ZONES[garment.region] ?? garment.group;
    zones.set(name, [...(zones.get(name) ?? []), garment]);
  }
  const worn = areaOf(outfit.garments);
  return [...zones]
    .map(([name, garments]) => ({ name, garments, share: areaOf(garments) / worn }))
    .filter(({ share }) => share >= MIN_SHARE)
    .sort((a, b) => b.share - a.share)
    .slice(0, MAX_ZONES)
    .map(({ name, garments, share }) => {
      const minArea = MIN_PIECE_SHARE * areaOf(garments);
      const pieces = garments.filter(({ areaShare }) => areaShare >= minArea);
      return {
        share,
        alpha: alphaOf(pieces, outfit, whole),
        isClothing: name === 'upper body' || name === 'legs',
        fits: fitsOn(name, garments),
      };
    });
}

/** Classes and colours need no more than this, pixels a side. */
export const SIDE_PIXELS = 512;
/** Margin around the subject, as a share of its longer side; the classifier was trained with it. */
const MARGIN = 0.06;
/** What the parse network sees behind a cut-out. */
const WHITE = 255;

/** What a person wears on one part of the body. */
type WornGarment = MeasuredGarment['worn'][number];

const withMargin = ({ left, top, width, height }: Box): Box => {
  const margin = Math.round(MARGIN * Math.max(width, height));
  return {
    left: left - margin,
    top: top - margin,
    width: width + 2 * margin,
    height: height + 2 * margin,
  };
};

export interface GarmentSessions {
  remover: Session;
  parser: Session;
  classifier: Session;
}

/** Returns the matte of the subject, as in a cut-out. */
async function subjectMatte(session: Session, pixels: Pixels): Promise<Matte> {
  const { probabilities, region } = await segment(session, pixels, undefined);
  return toMatte(probabilities, pixels, levelsFor(probabilities, region), region);
}

/**
 * Returns the probabilities of a box of an image, on white where it is transparent.
 * @throws ModelError if the classifier does not answer with one probability for each class
 */
async function classify(
  classifier: Session,
  rgba: Pixels,
  box: Box,
  rotation: Rotation,
): Promise<readonly number[]> {
  const { model, run } = classifier;
  const square = await onWhiteSquare(rgba, withMargin(box), model.input.size);
  const upright = rotatePixels(square, rotation);
  const probabilities = ofImageClasses([...(await run(toTensor(upright, model.input)))]);
  if (probabilities.length !== IMAGE_CLASSES.length)
    throw new ModelError(`${model.id} does not tell ${IMAGE_CLASSES.length} classes apart`);
  return probabilities;
}

/** Classifies what is not transparent in an image, on white and rotated, and measures its colours. */
async function measureGarment(
  classifier: Session,
  pixels: Pixels,
  alpha: Uint8Array,
  rotation: Rotation,
): Promise<GarmentMeasurements> {
  const box = subjectBox(alpha, pixels.width) ?? fullBox(pixels);
  const rgba = interleave(pixels, alpha);
  const probabilities = await classify(classifier, { ...pixels, data: rgba }, box, rotation);
  return { probabilities: [...probabilities], colors: measureColors(rgba) };
}

/**
 * Measures a garment that was cut out of a photo, in the size in which `viewGarment` looks at one.
 * @param cutOut of the size of the garment's box
 * @param rotation after which its wearer stands
 */
export async function viewCutOut(
  classifier: Session,
  cutOut: MattedImage,
  rotation: Rotation,
): Promise<GarmentMeasurements> {
  const { width, height } = cutOut.pixels;
  const factor = Math.min(1, SIDE_PIXELS / Math.max(width, height));
  const size = scaleSize(cutOut.pixels, factor);
  const { pixels, matte } = factor < 1 ? await resizeMattedImage(cutOut, size) : cutOut;
  return measureGarment(classifier, pixels, matte.data, rotation);
}

const normalised = (weights: readonly number[]): number[] => {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
};

/** Measures what is worn on one part of a body: cut out, and clothes with what is worn around them too. */
async function measureZone(
  classifier: Session,
  pixels: Pixels,
  person: Pixels,
  { share, alpha, isClothing, fits }: WornZone,
  rotation: Rotation,
): Promise<WornGarment> {
  const alone = await measureGarment(classifier, pixels, alpha, rotation);
  const box = isClothing ? subjectBox(alpha, pixels.width) : undefined;
  const around = box ? await classify(classifier, person, box, rotation) : alone.probabilities;
  const probabilities = normalised(
    fits.map((fit, k) => fit * (alone.probabilities[k]! + around[k]!)),
  );
  return { share, probabilities, colors: alone.colors };
}

/** Returns what a person wears; nothing if there is no person. */
async function measureWorn(
  { parser, classifier }: GarmentSessions,
  pixels: Pixels,
  matte: Matte,
): Promise<WornGarment[]> {
  const box = subjectBox(matte.data, pixels.width);
  if (!box) return [];
  const outfit = separateGarments(await parseOnce(parser, pixels, box), matte);
  if (!outfit.person) return [];
  const person = { ...pixels, data: interleave(pixels, matte.data) };
  const worn: WornGarment[] = [];
  for (const zone of wornZones(outfit, matte))
    worn.push(await measureZone(classifier, pixels, person, zone, outfit.rotation));
  return worn;
}

/**
 * How much likelier the larger of two worn garments is the one that is sold: by the third power of their areas. Of
 * 270 photos of a shop the largest was sold in 267, and in 9 of 10 where it is less than 6/10 of all that is worn.
 */
const SOLD_POWER = 3;

/** Returns the measurements of what is sold of what is worn: classes by their likelihood, colours of the largest. */
function soldOf(worn: readonly WornGarment[]): GarmentMeasurements | undefined {
  const [largest] = worn;
  if (!largest) return undefined;
  const weights = normalised(worn.map(({ share }) => share ** SOLD_POWER));
  const probabilities = largest.probabilities.map((_, k) =>
    worn.reduce((sum, each, i) => sum + weights[i]! * each.probabilities[k]!, 0),
  );
  return { probabilities, colors: largest.colors };
}

/**
 * Classifies a garment and measures its colours; cuts it out first unless the image has transparency. If a person wears
 * it, it is told apart from what else is worn.
 * @throws DecodeError
 */
export async function viewGarment(
  sessions: GarmentSessions,
  image: Uint8Array,
  maxPixels: number,
): Promise<MeasuredGarment> {
  const startedAt = performance.now();
  const { pixels, opacity, width, height } = await decodeSmall(image, maxPixels, SIDE_PIXELS);
  const decodedAt = performance.now();
  const seen = opacity ? flattenOnGrey(pixels, opacity, WHITE) : pixels;
  const matte = opacity
    ? { ...pixels, data: opacity }
    : await subjectMatte(sessions.remover, pixels);
  const worn = await measureWorn(sessions, seen, matte);
  const sold = soldOf(worn) ?? (await measureGarment(sessions.classifier, pixels, matte.data, 0));
  const classifiedAt = performance.now();
  return {
    ...sold,
    worn,
    fingerprint: fingerprintOf({ pixels, matte }),
    width,
    height,
    hasAlpha: opacity !== undefined,
    model: modelVersionOf(sessions.classifier.model),
    timings: {
      decodeMillis: decodedAt - startedAt,
      inferenceMillis: classifiedAt - decodedAt,
      totalMillis: performance.now() - startedAt,
    },
  };
}
