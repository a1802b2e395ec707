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

/** Returns the bytes of a subject's fingerprint; undefined if the matte shows none. */
export function fingerprintBytes(image: MattedImage): Uint8Array | undefined {
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
  return Uint8Array.from(
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

/** Returns the fingerprint of a subject as text; undefined if the matte shows none. */
export function fingerprintOf(image: MattedImage): string | undefined {
  const bytes = fingerprintBytes(image);
  return bytes && formatFingerprint(bytes);
}
