import { converter, differenceCiede2000, formatHex, type Lab65 } from 'culori';
import { dictionary } from '../dictionary/schema.ts';

/** A colour of an article, measured on its photo. */
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

const OPAQUE_ENOUGH = 128;
const MAX_SAMPLES = 4000;
const MAX_CLUSTERS = 8;
const ROUNDS = 10;
/** OKLab units; a bin of the histogram, and the least distance of two starting points. */
const BIN = 0.06;
const APART = 0.09;
/** Colours nearer than this are one colour to the eye of a shopper (CIEDE2000). */
const SAME_COLOR = 9;
/** Folds and light change lightness, not the dye: lightness counts half when colours are merged. */
const LIGHTNESS_TOLERANCE = 2;
const LEAST_SHARE = 0.03;
const MOST_COLORS = 6;

const LINEAR = Float64Array.from({ length: 256 }, (_, value) => {
  const c = value / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
});

/** sRGB bytes to OKLab. Source: B. Ottosson, "A perceptual color space for image processing", 2020. */
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

/** Evenly spaced pixels of the article, weighted by alpha. */
function samples(rgba: Uint8Array | Uint8ClampedArray): Cluster[] {
  let opaque = 0;
  for (let at = 3; at < rgba.length; at += 4) if ((rgba[at] ?? 0) >= OPAQUE_ENOUGH) opaque++;
  const step = Math.max(1, opaque / MAX_SAMPLES);
  const taken: Cluster[] = [];
  let seen = 0;
  for (let at = 3; at < rgba.length; at += 4) {
    const alpha = rgba[at] ?? 0;
    if (alpha < OPAQUE_ENOUGH) continue;
    if (seen++ >= taken.length * step) {
      const center = oklab(rgba[at - 3] ?? 0, rgba[at - 2] ?? 0, rgba[at - 1] ?? 0);
      taken.push({ center, weight: alpha / 255 });
    }
  }
  return taken;
}

const squareDistance = (a: Triple, b: Triple): number =>
  (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;

/** The weighted mean of clusters; of none of them, nothing. */
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

/** A number for each bin: OKLab reaches from -0.4 to 1. */
const binOf = (center: Triple): number =>
  center.reduce((key, x) => key * 64 + Math.round(x / BIN) + 16, 0);

/** Where clusters start: the fullest bins of a histogram that lie apart. No chance is involved. */
function seeds(pixels: readonly Cluster[]): Cluster[] {
  const bins = groupBy(pixels, ({ center }) => binOf(center))
    .flatMap((bin) => mean(bin) ?? [])
    .sort((a, b) => b.weight - a.weight || a.center[0] - b.center[0]);
  const chosen: Cluster[] = [];
  for (const bin of bins) {
    if (chosen.length === MAX_CLUSTERS) break;
    const isApart = chosen.every(({ center }) => squareDistance(center, bin.center) > APART ** 2);
    if (isApart) chosen.push(bin);
  }
  return chosen;
}

function nearest(center: Triple, clusters: readonly Cluster[]): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < clusters.length; i++) {
    const far = squareDistance(center, clusters[i]?.center ?? center);
    if (far < least) [best, least] = [i, far];
  }
  return best;
}

/** K-means in OKLab. */
function cluster(pixels: readonly Cluster[]): Cluster[] {
  let clusters = seeds(pixels);
  for (let round = 0; round < ROUNDS; round++) {
    const from = clusters;
    clusters = groupBy(pixels, ({ center }) => nearest(center, from)).flatMap(
      (own) => mean(own) ?? [],
    );
  }
  return clusters;
}

const toLab65 = converter('lab65');
const labOf = ([l, a, b]: Triple): Lab65 => toLab65({ mode: 'oklab', l, a, b });
const difference = differenceCiede2000();
const differenceInDye = differenceCiede2000(LIGHTNESS_TOLERANCE);

interface Swatch {
  lab: Lab65;
  weight: number;
}

/** Joins what is one dye in light and shade; the larger part gives the colour. */
function mergeShades(clusters: readonly Cluster[]): Swatch[] {
  const swatches: Swatch[] = [];
  const byWeight = clusters.toSorted((a, b) => b.weight - a.weight);
  for (const { center, weight } of byWeight) {
    const lab = labOf(center);
    const same = swatches
      .map((swatch) => ({ swatch, far: differenceInDye(swatch.lab, lab) }))
      .filter(({ far }) => far < SAME_COLOR)
      .sort((a, b) => a.far - b.far)[0]?.swatch;
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

/** The family whose prototype looks nearest, and how far it is (CIEDE2000). */
export function nameColor(lab: Triple): { family: string; deltaE: number } {
  const color = { mode: 'lab65', l: lab[0], a: lab[1], b: lab[2] } as const;
  let best = { family: 'grey', deltaE: Number.POSITIVE_INFINITY };
  for (const prototype of PROTOTYPES) {
    const deltaE = difference(prototype.lab, color);
    if (deltaE < best.deltaE) best = { family: prototype.family, deltaE };
  }
  return best;
}

const rounded = (value: number, decimals: number): number => {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale || 0;
};

/** Shares to three decimals that still sum to 1: the largest takes what rounding leaves. */
function roundedShares(weights: readonly number[]): number[] {
  const sum = weights.reduce((a, b) => a + b, 0);
  const shares = weights.map((weight) => rounded(weight / sum, 3));
  const rest = shares.slice(1).reduce((a, b) => a + b, 0);
  return shares.map((share, i) => (i === 0 ? rounded(1 - rest, 3) : share));
}

/**
 * The colours of a cut-out, the largest first, at most six.
 * @param rgba 4 bytes a pixel, not premultiplied; pixels with alpha < 128 are passed over
 * @returns nothing where no pixel is opaque enough
 */
export function measureColors(rgba: Uint8Array | Uint8ClampedArray): MeasuredColor[] {
  const pixels = samples(rgba);
  const total = pixels.reduce((sum, { weight }) => sum + weight, 0);
  const swatches = mergeShades(cluster(pixels))
    .filter(({ weight }) => weight >= total * LEAST_SHARE)
    .slice(0, MOST_COLORS);
  const shares = roundedShares(swatches.map(({ weight }) => weight));
  return swatches.map(({ lab: { l, a, b } }, i) => {
    const { family, deltaE } = nameColor([l, a, b]);
    return {
      family,
      hex: formatHex({ mode: 'lab65', l, a, b }),
      share: shares[i] ?? 0,
      lab: [rounded(l, 1), rounded(a, 1), rounded(b, 1)],
      deltaE: rounded(deltaE, 1),
    };
  });
}

const MANY = 4;
const CONSIDERABLE = 0.1;
const DOMINANT = 0.45;

/** The one word for several colours: the main family, or `multicolour` where none prevails. */
export function overallFamily(
  colors: readonly Pick<MeasuredColor, 'family' | 'share'>[],
): string | undefined {
  const shares = new Map<string, number>();
  for (const { family, share } of colors) shares.set(family, (shares.get(family) ?? 0) + share);
  const considerable = [...shares.values()].filter((share) => share >= CONSIDERABLE).length;
  const [main, largest] = [...shares].sort((a, b) => b[1] - a[1])[0] ?? [undefined, 0];
  return considerable >= MANY && largest < DOMINANT ? 'multicolour' : main;
}

/** CIEDE2000 between two families' swatches; 0 where one has none to compare. */
export function familyDistance(a: string, b: string): number {
  const [one, two] = [a, b].map(
    (id) => dictionary.colourFamilies.find((family) => family.id === id)?.hex,
  );
  return one && two ? difference(one, two) : 0;
}
