import { modelVersionOf } from '../../models/catalog.ts';
import { fingerprintOf } from '../../src/imaging/fingerprint.ts';
import { crop, type Matte, type MattedImage, subjectBox } from '../../src/imaging/picture.ts';
import { DEFAULT_QUALITY, type Quality } from '../../src/output/option-table.ts';
import { reviewOf, withReason } from '../../src/output/review.ts';
import { encodePng } from './assembly.ts';
import type { Outfit } from './child-results.ts';
import { decode } from './codec.ts';
import { findSubject, QUALITY_SETTINGS, type QualitySettings } from './cut-out.ts';
import { type GarmentSessions, viewCutOut } from './garment-view.ts';
import {
  matteOfMask,
  type PlacedGarment,
  placeGarment,
  refineGarment,
} from './garments/cut-out.ts';
import { parseGarments } from './garments/parse.ts';
import {
  type Garment,
  type Outfit as ParsedOutfit,
  separateGarments,
} from './garments/separate.ts';
import type { Session } from './session.ts';

/** A photo has so many garments at most: the largest ones. */
const MAX_GARMENTS = 20;
/** What is less likely to be what it is taken for is no garment of the answer. */
const MIN_CONFIDENCE = 0.35;

export interface OutfitOptions {
  quality?: Quality | undefined;
  /** Whether to make the cut-out of each garment. */
  cutouts: boolean;
}

/** What the parse network found on a subject. */
type Worn = Pick<ParsedOutfit, 'person' | 'severalPeople' | 'rotation'> & {
  /** Cut-outs and what is known of them, made one by one. */
  garments: Iterable<{ garment: Garment; placed: PlacedGarment }>;
};

const NOTHING_WORN: Worn = { person: false, severalPeople: false, rotation: 0, garments: [] };

async function findWorn(parser: Session, { pixels, matte }: MattedImage): Promise<Worn> {
  const box = subjectBox(matte.data, matte.width);
  if (!box) return NOTHING_WORN;
  const outfit = separateGarments(await parseGarments(parser, pixels, box), matte);
  const likely = outfit.garments.filter(({ confidence }) => confidence >= MIN_CONFIDENCE);
  function* cutOuts() {
    for (const garment of likely.slice(0, MAX_GARMENTS)) {
      const own = matteOfMask(garment.mask, outfit.region, garment.box, matte);
      const placed = placeGarment(pixels, own, garment.box);
      if (placed) yield { garment, placed };
    }
  }
  const { person, severalPeople, rotation } = outfit;
  return { person, severalPeople, rotation, garments: cutOuts() };
}

function encodeGarment(
  placed: PlacedGarment,
  whole: Matte,
  { garmentEdges }: QualitySettings,
): Uint8Array {
  const { pixels, matte } = crop(refineGarment(placed, whole, garmentEdges), placed.visible);
  return encodePng(pixels, matte);
}

/**
 * Separates the garments of the subject of a photo, one after the other: no more than one garment's matte is in memory.
 * @throws DecodeError
 */
export async function separateOutfit(
  { remover, parser, classifier }: GarmentSessions,
  image: Uint8Array,
  maxPixels: number,
  { quality = DEFAULT_QUALITY, cutouts }: OutfitOptions,
): Promise<Outfit> {
  const preset: QualitySettings = QUALITY_SETTINGS[quality];
  const startedAt = performance.now();
  const decoded = await decode(image, maxPixels);
  const decodedAt = performance.now();
  const subject = await findSubject(remover, decoded, preset, undefined);
  const foundAt = performance.now();
  const worn = await findWorn(parser, subject);
  const garments: Outfit['garments'] = [];
  const files: Uint8Array[] = [];
  for (const { garment, placed } of worn.garments) {
    const { group, region, alternatives, areaShare, confidence, occludedBy } = garment;
    const { box } = placed;
    const known = { group, region, alternatives, box, areaShare, confidence, occludedBy };
    const visible = crop(placed, placed.visible);
    const measurements = await viewCutOut(classifier, visible, worn.rotation);
    const fingerprint = fingerprintOf(visible);
    const file = cutouts ? encodeGarment(placed, subject.matte, preset) : new Uint8Array();
    garments.push({ ...known, ...measurements, fingerprint, bytes: file.length });
    files.push(file);
  }
  const endedAt = performance.now();
  const { width, height } = subject.pixels;
  const { evidence, inferenceMillis } = subject;
  const timings = {
    decodeMillis: decodedAt - startedAt,
    inferenceMillis,
    matteMillis: foundAt - decodedAt - inferenceMillis,
    garmentsMillis: endedAt - foundAt,
    totalMillis: endedAt - startedAt,
  };
  const { person, severalPeople } = worn;
  const { confidence } = evidence;
  const fingerprint = fingerprintOf(subject);
  const review = withReason(reviewOf(evidence), 'damaged', decoded.isDamaged);
  const facts = { width, height, person, severalPeople, confidence, review, fingerprint };
  const models = {
    model: modelVersionOf(parser.model),
    classifier: modelVersionOf(classifier.model),
  };
  return { ...facts, ...models, garments, timings, files: Buffer.concat(files) };
}
