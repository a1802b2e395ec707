import type { Matte } from '../../src/imaging/picture.ts';
import { IMAGE_CLASSES, type ImageClass } from '../../src/taxonomy/photo/image-classes.ts';
import { matteOfMask } from './garments/cut-out.ts';
import { type GarmentRegion, GROUPS } from './garments/groups.ts';
import type { Garment, Outfit } from './garments/separate.ts';

/**
 * What covers one part of a body. A jacket over a shirt is one zone: the parse network knows where clothes are better
 * than where one ends and the next begins.
 */
export interface WornZone {
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
