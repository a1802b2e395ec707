import { converter, differenceCiede2000, formatHex, type Lab65 } from 'culori';
import { dictionary } from '../dictionary/schema.ts';

/** A colour of an article, measured in its photo. */
export interface MeasuredColor {
  /** A measurable family of the dictionary. */
  family: string;
  hex: string;
  /** Share of the visible article, 0–1; all shares sum to 1. */
  share: number;
  /** CIELAB, D65. No white balance is applied. */
  lab: readonly [number, number, number];
  /** CIEDE2000 from the family's nearest prototype. */
  deltaE: number;
}

type Triple = readonly [number, number, number];

interface Cluster {
  /** OKLab. */
  center: Triple;
  weight: number;
}

const MIN_ALPHA = 128;
const MAX_SAMPLES = 4000;
const MAX_CLUSTERS = 8;
const KMEANS_ROUNDS = 10;
/** Bin size of the histogram, and minimum distance of two k-means seeds, in OKLab. */
const BIN_SIZE = 0.06;
const MIN_SEED_DISTANCE = 0.09;
/** Closer colours are one colour to a shopper (CIEDE2000). */
const SAME_COLOUR_DISTANCE = 9;
/** Folds and light change lightness, not the dye: lightness counts half in `dyeDifference` (CIEDE2000 kL). */
const LIGHTNESS_WEIGHT = 2;
const MIN_SHARE = 0.03;
const MAX_COLORS = 6;

const LINEAR = Float64Array.from({ length: 256 }, (_, value) => {
  const c = value / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
});

/** Converts sRGB bytes to OKLab. Source: B. Ottosson, "A perceptual color space for image processing", 2020. */
function oklab(red: number, green: number, blue: number): Triple {
  const r = LINEAR[red] ?? 0;
  const g = LINEAR[green] ?? 0;
  const b = LINEAR[blue] ?? 0;
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Samples pixels of the article evenly, weighted by alpha. */
function samplePixels(rgba: Uint8Array | Uint8ClampedArray): Cluster[] {
  let opaque = 0;
  for (let at = 3; at < rgba.length; at += 4) if ((rgba[at] ?? 0) >= MIN_ALPHA) opaque++;
  const step = Math.max(1, opaque / MAX_SAMPLES);
  const sampled: Cluster[] = [];
  let seen = 0;
  for (let at = 3; at < rgba.length; at += 4) {
    const alpha = rgba[at] ?? 0;
    if (alpha < MIN_ALPHA) continue;
    if (seen++ >= sampled.length * step) {
      const center = oklab(rgba[at - 3] ?? 0, rgba[at - 2] ?? 0, rgba[at - 1] ?? 0);
      sampled.push({ center, weight: alpha / 255 });
    }
  }
  return sampled;
}

const squareDistance = (a: Triple, b: Triple): number =>
  (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;

/** Returns the weighted mean of clusters; undefined if there are none. */
function mean(members: readonly Cluster[]): Cluster | undefined {
  const sums = [0, 0, 0, 0] as [number, number, number, number];
  for (const { center, weight } of members) {
    sums[0] += center[0] * weight;
    sums[1] += center[1] * weight;
    sums[2] += center[2] * weight;
    sums[3] += weight;
  }
  const [l, a, b, weight] = sums;
  return weight > 0 ? { center: [l / weight, a / weight, b / weight], weight } : undefined;
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => number): T[][] {
  const groups = new Map<number, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return [...groups.values()];
}

/** Returns the key of a bin; OKLab ranges from -0.4 to 1. */
const binOf = (center: Triple): number =>
  center.reduce((key, x) => key * 64 + Math.round(x / BIN_SIZE) + 16, 0);

/** Chooses seeds deterministically: the fullest histogram bins with a minimum distance. */
function chooseSeeds(pixels: readonly Cluster[]): Cluster[] {
  const bins = groupBy(pixels, ({ center }) => binOf(center))
    .flatMap((bin) => mean(bin) ?? [])
    .sort((a, b) => b.weight - a.weight || a.center[0] - b.center[0]);
  const chosen: Cluster[] = [];
  for (const bin of bins) {
    if (chosen.length === MAX_CLUSTERS) break;
    const isApart = chosen.every(
      ({ center }) => squareDistance(center, bin.center) > MIN_SEED_DISTANCE ** 2,
    );
    if (isApart) chosen.push(bin);
  }
  return chosen;
}

function nearest(center: Triple, clusters: readonly Cluster[]): number {
  let best = 0;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (let i = 0; i < clusters.length; i++) {
    const distance = squareDistance(center, clusters[i]?.center ?? center);
    if (distance < bestDistance) [best, bestDistance] = [i, distance];
  }
  return best;
}

/** K-means in OKLab. */
function kMeans(pixels: readonly Cluster[]): Cluster[] {
  let clusters = chooseSeeds(pixels);
  for (let round = 0; round < KMEANS_ROUNDS; round++) {
    const from = clusters;
    clusters = groupBy(pixels, ({ center }) => nearest(center, from)).flatMap(
      (own) => mean(own) ?? [],
    );
  }
  return clusters;
}

const toLab65 = converter('lab65');
const oklabToLab = ([l, a, b]: Triple): Lab65 => toLab65({ mode: 'oklab', l, a, b });
const difference = differenceCiede2000();
const dyeDifference = differenceCiede2000(LIGHTNESS_WEIGHT);

interface Swatch {
  lab: Lab65;
  weight: number;
}

/** Merges shades of one dye in light and shadow; the larger cluster gives the colour. */
function mergeShades(clusters: readonly Cluster[]): Swatch[] {
  const swatches: Swatch[] = [];
  const byWeight = clusters.toSorted((a, b) => b.weight - a.weight);
  for (const { center, weight } of byWeight) {
    const lab = oklabToLab(center);
    const same = swatches
      .map((swatch) => ({ swatch, distance: dyeDifference(swatch.lab, lab) }))
      .filter(({ distance }) => distance < SAME_COLOUR_DISTANCE)
      .sort((a, b) => a.distance - b.distance)[0]?.swatch;
    if (same) same.weight += weight;
    else swatches.push({ lab, weight });
  }
  return swatches.sort((a, b) => b.weight - a.weight);
}

const PROTOTYPES = dictionary.colourFamilies
  .filter(({ measurable }) => measurable)
  .flatMap(({ id, prototypesLab }) =>
    prototypesLab.map(([l, a, b]) => ({ family: id, lab: { mode: 'lab65', l, a, b } as const })),
  );

/** Returns the family of the nearest prototype and its distance (CIEDE2000). */
export function nameColor(lab: Triple): { family: string; deltaE: number } {
  const color = { mode: 'lab65', l: lab[0], a: lab[1], b: lab[2] } as const;
  let best = { family: 'grey', deltaE: Number.POSITIVE_INFINITY };
  for (const prototype of PROTOTYPES) {
    const deltaE = difference(prototype.lab, color);
    if (deltaE < best.deltaE) best = { family: prototype.family, deltaE };
  }
  return best;
}

/** Returns the family of a colour. @param hex `#rrggbb` */
export function familyOfHex(hex: string): string | undefined {
  const lab = toLab65(hex);
  return lab && nameColor([lab.l, lab.a, lab.b]).family;
}

const round = (value: number, decimals: number): number => {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale || 0;
};

/** Rounds shares to three decimals that still sum to 1: the first absorbs the rounding error. */
function roundedShares(weights: readonly number[]): number[] {
  const sum = weights.reduce((a, b) => a + b, 0);
  const shares = weights.map((weight) => round(weight / sum, 3));
  const rest = shares.slice(1).reduce((a, b) => a + b, 0);
  return shares.map((share, i) => (i === 0 ? round(1 - rest, 3) : share));
}

/**
 * Measures the colours of a cut-out: at most six, the largest first.
 * @param rgba 4 bytes a pixel, not premultiplied; pixels with alpha < 128 are ignored
 * @returns an empty list if no pixel is opaque enough
 */
export function measureColors(rgba: Uint8Array | Uint8ClampedArray): MeasuredColor[] {
  const pixels = samplePixels(rgba);
  const total = pixels.reduce((sum, { weight }) => sum + weight, 0);
  const swatches = mergeShades(kMeans(pixels))
    .filter(({ weight }) => weight >= total * MIN_SHARE)
    .slice(0, MAX_COLORS);
  const shares = roundedShares(swatches.map(({ weight }) => weight));
  return swatches.map(({ lab: { l, a, b } }, i) => {
    const { family, deltaE } = nameColor([l, a, b]);
    return {
      family,
      hex: formatHex({ mode: 'lab65', l, a, b }),
      share: shares[i] ?? 0,
      lab: [round(l, 1), round(a, 1), round(b, 1)],
      deltaE: round(deltaE, 1),
    };
  });
}

const MIN_MULTICOLOURS = 4;
const MIN_MULTICOLOUR_SHARE = 0.1;
const DOMINANT_SHARE = 0.45;

/** Returns one family for several colours: the main one, or `multicolour` if none dominates. */
export function overallFamily(
  colors: readonly Pick<MeasuredColor, 'family' | 'share'>[],
): string | undefined {
  const shares = new Map<string, number>();
  for (const { family, share } of colors) shares.set(family, (shares.get(family) ?? 0) + share);
  const notable = [...shares.values()].filter((share) => share >= MIN_MULTICOLOUR_SHARE).length;
  const [main, largest] = [...shares].sort((a, b) => b[1] - a[1])[0] ?? [undefined, 0];
  return notable >= MIN_MULTICOLOURS && largest < DOMINANT_SHARE ? 'multicolour' : main;
}

/** Returns CIEDE2000 between two families' swatches; 0 if one has no swatch. */
export function familyDistance(a: string, b: string): number {
  const [one, two] = [a, b].map(
    (id) => dictionary.colourFamilies.find((family) => family.id === id)?.hex,
  );
  return one && two ? difference(one, two) : 0;
}
