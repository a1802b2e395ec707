import { type Box, type MattedImage, subjectBox } from './picture.ts';

/*
 * A fingerprint of a subject: 64 bytes that stay alike when its picture is recompressed, scaled, cropped a little or
 * put on another background, and that are known to change when it is mirrored. How the layout was chosen is in
 * docs/adr/0061-fingerprints.md; a change of any number here makes another format.
 */

/** The name of this layout, before the bytes: another layout gets another name. */
const FINGERPRINT_FORMAT = 'layout1';
export const FINGERPRINT_BYTES = 64;

/** Cells a side of the grid on which a subject is described, whatever its size. */
const SIDE = 64;
/** Pixels read of a cell along each side, at most. */
const CELL_SAMPLES = 4;
const ZERO = 128;

/** A grid of values, `SIDE` squared, rows from the top. */
type Plane = Float64Array;
type Frequency = readonly [across: number, down: number];

/** The lowest frequencies first; of equal ones, the wider across. */
function lowestFrequencies(count: number, { withMean }: { withMean: boolean }): Frequency[] {
  const all: Frequency[] = [];
  for (let across = 0; across < 12; across++) {
    for (let down = 0; down < 12; down++)
      if (withMean || across + down > 0) all.push([across, down]);
  }
  const square = ([across, down]: Frequency): number => across ** 2 + down ** 2;
  return all.sort((a, b) => square(a) - square(b) || a[0] - b[0]).slice(0, count);
}

const OUTLINE = lowestFrequencies(14, { withMean: true });
const LIGHT = lowestFrequencies(34, { withMean: false });
const COLOUR = lowestFrequencies(6, { withMean: false });

/** Bytes for each unit, so that the changes of a copy are about as large in all of them. */
const STEPS = { light: 1, colour: 2, ratio: 38, outline: 153, lightWave: 1, colourWave: 5 };
/** Coverage of the box around which its byte is centred. */
const USUAL_COVERAGE = 0.6;
/** Light is measured in the subject's own contrast, so that dark clothes differ as much as bright ones. */
const CONTRAST = { usual: 40, min: 8 };

/** Whether a byte changes its sign when the picture is mirrored: those of odd frequencies across. */
const IS_ODD: readonly boolean[] = [
  ...Array.from({ length: 4 }, () => false),
  ...[...OUTLINE, ...LIGHT, ...COLOUR, ...COLOUR].map(([across]) => across % 2 === 1),
];

interface Grid {
  /** 0..1 */
  alpha: Plane;
  /** Luma and two colour differences, 0..255 and around 0. */
  channels: readonly [Plane, Plane, Plane];
}

/** Averages the subject's pixels in each cell of the grid. */
function toGrid({ pixels, matte }: MattedImage, box: Box): Grid {
  const size = SIDE * SIDE;
  const alpha = new Float64Array(size);
  const channels = [
    new Float64Array(size),
    new Float64Array(size),
    new Float64Array(size),
  ] as const;
  const columns = samplesOf(box.width);
  const rows = samplesOf(box.height);
  for (let y = 0, cell = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++, cell++) {
      let [count, covered, red, green, blue] = [0, 0, 0, 0, 0];
      for (const down of rows[y]!) {
        for (const across of columns[x]!) {
          const i = (box.top + down) * pixels.width + box.left + across;
          const share = matte.data[i]! / 255;
          count++;
          covered += share;
          red += share * pixels.data[3 * i]!;
          green += share * pixels.data[3 * i + 1]!;
          blue += share * pixels.data[3 * i + 2]!;
        }
      }
      alpha[cell] = covered / count;
      if (covered === 0) continue;
      const luma = (0.299 * red + 0.587 * green + 0.114 * blue) / covered;
      channels[0][cell] = luma;
      channels[1][cell] = 0.564 * (blue / covered - luma);
      channels[2][cell] = 0.713 * (red / covered - luma);
    }
  }
  return { alpha, channels };
}

/** For each cell along a side, the pixels of the box that stand for it. */
function samplesOf(length: number): number[][] {
  const cells: number[][] = [];
  for (let cell = 0; cell < SIDE; cell++) {
    const start = Math.min(length - 1, Math.floor((cell * length) / SIDE));
    const end = Math.max(start + 1, Math.floor(((cell + 1) * length) / SIDE));
    const count = Math.min(CELL_SAMPLES, end - start);
    const samples: number[] = [];
    for (let i = 0; i < count; i++)
      samples.push(start + Math.floor(((i + 0.5) * (end - start)) / count));
    cells.push(samples);
  }
  return cells;
}

function statisticsOf(values: Plane, weights: Plane): { mean: number; deviation: number } {
  let [sum, squares, weight] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    sum += weights[i]! * values[i]!;
    squares += weights[i]! * values[i]! ** 2;
    weight += weights[i]!;
  }
  const mean = sum / weight;
  return { mean, deviation: Math.sqrt(Math.max(0, squares / weight - mean ** 2)) };
}

/** The cosine waves of a side, by frequency; each is a mean over the cells. */
const WAVES = Array.from({ length: 12 }, (_, frequency) =>
  Float64Array.from(
    { length: SIDE },
    (__, x) =>
      (Math.cos((Math.PI * (x + 0.5) * frequency) / SIDE) * (frequency ? Math.SQRT2 : 1)) / SIDE,
  ),
);

/** Returns how much of each frequency is in a plane: a discrete cosine transform. */
function amplitudes(plane: Plane, frequencies: readonly Frequency[]): number[] {
  const rowsBy = new Map<number, Float64Array>();
  return frequencies.map(([across, down]) => {
    const rows = rowsBy.get(across) ?? rowsOf(plane, WAVES[across]!);
    rowsBy.set(across, rows);
    return productOf(WAVES[down]!, rows);
  });
}

function productOf(wave: Float64Array, values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < SIDE; i++) sum += wave[i]! * values[i]!;
  return sum;
}

/** Returns how much of a wave is in each row of a plane. */
function rowsOf(plane: Plane, wave: Float64Array): Float64Array {
  const rows = new Float64Array(SIDE);
  for (let y = 0, i = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++, i++) rows[y]! += plane[i]! * wave[x]!;
  return rows;
}

/** What differs from the subject's mean; nothing where there is no subject. */
function aroundMean(values: Plane, weights: Plane, mean: number): Plane {
  const plane = new Float64Array(values.length);
  for (let i = 0; i < plane.length; i++) plane[i] = (values[i]! - mean) * weights[i]!;
  return plane;
}

const toByte = (value: number): number => Math.max(0, Math.min(255, Math.round(ZERO + value)));

/** Returns the fingerprint of a subject as text; undefined if the matte shows none. */
export function fingerprintOf(image: MattedImage): string | undefined {
  const box = subjectBox(image.matte.data, image.matte.width);
  if (!box) return undefined;
  const { alpha, channels } = toGrid(image, box);
  const [light, blue, red] = channels.map((channel) => statisticsOf(channel, alpha));
  if (!light || !blue || !red) return undefined;
  const contrast = CONTRAST.usual / Math.max(light.deviation, CONTRAST.min);
  const lightPlane = aroundMean(channels[0], alpha, light.mean);
  const colourPlanes = [
    aroundMean(channels[1], alpha, blue.mean),
    aroundMean(channels[2], alpha, red.mean),
  ];
  const bytes = Uint8Array.from(
    [
      (light.mean - ZERO) * STEPS.light,
      blue.mean * STEPS.colour,
      red.mean * STEPS.colour,
      Math.log2(box.width / box.height) * STEPS.ratio,
      ...amplitudes(alpha, OUTLINE).map(
        (amplitude, i) => (amplitude - (i === 0 ? USUAL_COVERAGE : 0)) * STEPS.outline,
      ),
      ...amplitudes(lightPlane, LIGHT).map(
        (amplitude, i) =>
          amplitude * contrast * (1 + 0.4 * Math.hypot(...LIGHT[i]!)) * STEPS.lightWave,
      ),
      ...colourPlanes.flatMap((plane) =>
        amplitudes(plane, COLOUR).map((amplitude) => amplitude * STEPS.colourWave),
      ),
    ],
    toByte,
  );
  return formatFingerprint(bytes);
}

/** Returns the bytes that the mirrored picture has. */
export const mirroredFingerprint = (bytes: Uint8Array): Uint8Array =>
  bytes.map((byte, i) => (IS_ODD[i] ? Math.min(255, 2 * ZERO - byte) : byte));

/** Returns the distance of two fingerprints, the root of the sum of squares; 0 if they are equal. */
export function fingerprintDistance(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < FINGERPRINT_BYTES; i++) sum += (a[i]! - b[i]!) ** 2;
  return Math.sqrt(sum);
}

/** Writes a fingerprint as text: the name of its format and the bytes in base64url. */
export const formatFingerprint = (bytes: Uint8Array): string =>
  `${FINGERPRINT_FORMAT}:${Buffer.from(bytes).toString('base64url')}`;

/** Reads the text of a fingerprint; undefined if it has another format. */
export function parseFingerprint(text: string): Uint8Array | undefined {
  const [format, encoded = ''] = text.split(':');
  if (format !== FINGERPRINT_FORMAT) return undefined;
  const bytes = Buffer.from(encoded, 'base64url');
  return bytes.length === FINGERPRINT_BYTES ? bytes : undefined;
}

/*
 * Finds fingerprints of the same picture among many, without comparing each with each: copies are alike in all bytes,
 * so they are equal in most coarse hashes of a few bytes.
 */

/** Fingerprints at most this far apart are of the same picture; see docs/adr/0061-fingerprints.md. */
export const SAME_DISTANCE = 32;
/** Beyond this distance nothing is alike. */
const MAX_DISTANCE = 320;

/** How alike two pictures are, 0..1, in thousandths: 0.9 and more is the same picture. */
export const similarityOf = (distance: number): number =>
  Math.round(1000 * Math.max(0, 1 - distance / MAX_DISTANCE)) / 1000;

/** Hashes of a fingerprint: each of some of the bytes that differ most among all fingerprints, in coarse cells. */
const HASHES = { count: 6, bytes: 10, shift: 4, of: 24, cell: 56 };
/** Fingerprints compared with one of a bucket, at most: a catalogue may have thousands of black T-shirts. */
const MAX_COMPARED = 64;

/** The bytes that make up a hash, and the width of their cells. */
interface Hash {
  bytes: readonly number[];
  cell: number;
}

/** Returns the bytes in the order of their variance, the largest first. */
function byVariance(points: Uint8Array, count: number): number[] {
  const sums = new Float64Array(FINGERPRINT_BYTES);
  const squares = new Float64Array(FINGERPRINT_BYTES);
  for (let i = 0; i < count * FINGERPRINT_BYTES; i++) {
    const value = points[i]!;
    sums[i % FINGERPRINT_BYTES]! += value;
    squares[i % FINGERPRINT_BYTES]! += value ** 2;
  }
  const variances = squares.map((square, k) => square / count - (sums[k]! / count) ** 2);
  return [...variances.keys()].sort((a, b) => variances[b]! - variances[a]! || a - b);
}

function hashesOf(order: readonly number[]): Hash[] {
  const coarse = Array.from({ length: HASHES.count }, (_, hash) => ({
    bytes: Array.from(
      { length: HASHES.bytes },
      (__, i) => order[(hash * HASHES.shift + i) % HASHES.of]!,
    ),
    cell: HASHES.cell,
  }));
  // Of equal fingerprints none is missed, however full the other buckets are.
  return [{ bytes: order, cell: 1 }, ...coarse];
}

/** Hash tables whose buckets are lists through arrays: they take 8 bytes for each entry. */
function createTable({ bytes, cell }: Hash, capacity: number) {
  const bits = Math.max(1, Math.ceil(Math.log2(capacity + 1)));
  const heads = new Int32Array(2 ** bits).fill(-1);
  const next = new Int32Array(capacity);
  function bucketOf(point: Uint8Array): number {
    let hash = 0x811c9dc5;
    // Cells begin elsewhere for each byte, so that no shade of a colour always falls between two.
    for (const byte of bytes) {
      hash = Math.imul(hash ^ Math.floor((point[byte]! + ((byte * 7) % cell)) / cell), 0x01000193);
    }
    return (hash ^ (hash >>> 15)) & (heads.length - 1);
  }
  return {
    add(i: number, point: Uint8Array): void {
      const bucket = bucketOf(point);
      next[i] = heads[bucket]!;
      heads[bucket] = i;
    },
    /** Calls `visit` with the latest entries beside a point. */
    visitNear(point: Uint8Array, visit: (i: number) => void): void {
      let left = MAX_COMPARED;
      for (let i = heads[bucketOf(point)]!; i >= 0 && left > 0; i = next[i]!, left--) visit(i);
    },
  };
}

/** The first fingerprint of the same picture. */
export interface Match {
  /** Its place in the list. */
  of: number;
  distance: number;
}

/**
 * Groups fingerprints by picture, mirrored ones included.
 * @param points one fingerprint after the other
 * @returns a function to be called for each place of the list in turn: it returns the first of its group, or nothing
 * if it begins a group of its own. Each call takes bounded time.
 */
export function createGrouper(points: Uint8Array, count: number) {
  const order = byVariance(points, count);
  const tables = hashesOf(order).map((hash) => createTable(hash, count));
  const pointAt = (i: number): Uint8Array =>
    points.subarray(i * FINGERPRINT_BYTES, (i + 1) * FINGERPRINT_BYTES);

  /** Returns the square of a distance, or something above the limit. */
  function squareDistance(point: Uint8Array, i: number, limit: number): number {
    const start = i * FINGERPRINT_BYTES;
    let sum = 0;
    for (let k = 0; k < FINGERPRINT_BYTES && sum <= limit; k++) {
      const byte = order[k]!;
      const difference = point[byte]! - points[start + byte]!;
      sum += difference * difference;
    }
    return sum;
  }

  function nearest(point: Uint8Array): Match | undefined {
    let best = -1;
    let square = SAME_DISTANCE ** 2 + 1;
    for (const view of [point, mirroredFingerprint(point)]) {
      const visit = (i: number): void => {
        const found = squareDistance(view, i, square - 1);
        if (found >= square) return;
        best = i;
        square = found;
      };
      for (const table of tables) if (square > 0) table.visitNear(view, visit);
    }
    return best < 0 ? undefined : { of: best, distance: Math.sqrt(square) };
  }

  return (i: number): Match | undefined => {
    const point = pointAt(i);
    const match = nearest(point);
    if (!match) for (const table of tables) table.add(i, point);
    return match;
  };
}
