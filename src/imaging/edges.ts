import { closedForm } from './closed-form.ts';
import { newColourLine, readWindow, WINDOW, windowOffsets } from './colour-lines.ts';
import { type Pair, shrunk } from './downscale.ts';
import type { Matte } from './matte.ts';
import type { Pixels } from './tensor.ts';
import { type Band, unsureBand } from './unsure-band.ts';

/** What is solved at most: larger pictures, and those with longer edges, are solved smaller. */
const MOST = { pixels: 2 ** 20, unknowns: 120_000 };
/** Keeps colours' noise out of alpha where a large picture is finished from a small one. */
const EPSILON = 1e-4;

/** A picture as small as it has to be, and its band. */
interface Reduced extends Pair {
  factor: number;
  band: Band;
}

function reduced(pair: Pair, most: typeof MOST): Reduced {
  const { width, height } = pair.pixels;
  const first = Math.max(1, Math.ceil(Math.sqrt((width * height) / most.pixels)));
  for (let factor = first; ; factor++) {
    const small = factor === 1 ? pair : shrunk(pair, factor);
    const band = unsureBand(small.matte);
    if (band.places.length <= most.unknowns) return { ...small, factor, band };
  }
}

/** Red, green, blue, constant: alpha as a linear function of colour around each pixel of a band. */
const LINE = 4;

/**
 * Alpha around each pixel of a band as a linear function of colour.
 * @see He, Sun & Tang, Guided Image Filtering, PAMI 35(6), 2013, eq. 5 and 6, for colours eq. 14
 */
function colourLines({ pixels, matte }: Pair, { places }: Band): Float32Array {
  const { width, height } = pixels;
  const lines = new Float32Array(LINE * places.length);
  const offsets = windowOffsets(width);
  const line = newColourLine();
  for (let n = 0; n < places.length; n++) {
    const place = places[n]!;
    const [x, y] = [place % width, Math.floor(place / width)];
    lines[LINE * n + 3] = matte.data[place]! / 255;
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) continue;
    readWindow(pixels, place, offsets, EPSILON, line);
    let mean = 0;
    for (let k = 0; k < WINDOW; k++) {
      const alpha = matte.data[place + offsets[k]!]! / 255 / WINDOW;
      mean += alpha;
      for (let c = 0; c < 3; c++) lines[LINE * n + c]! += line.white[3 * k + c]! * alpha;
    }
    for (let c = 0; c < 3; c++) mean -= lines[LINE * n + c]! * line.mean[c]!;
    lines[LINE * n + 3] = mean;
  }
  return lines;
}

/** Alpha, 0..255, that a cell of a small picture gives a pixel of the large one. */
const alphaFrom =
  (small: Reduced, lines: Float32Array, { data }: Pixels) =>
  (cell: number, pixel: number): number => {
    const number = small.band.numbers[cell]!;
    if (number < 0) return small.matte.data[cell]!;
    const [at, p] = [LINE * number, 3 * pixel];
    return (
      data[p]! * lines[at]! +
      data[p + 1]! * lines[at + 1]! +
      data[p + 2]! * lines[at + 2]! +
      255 * lines[at + 3]!
    );
  };

/** The pixels of a small band in the large picture, each mixed from the lines of the four cells around it. */
function enlarge(small: Reduced, pixels: Pixels, data: Uint8Array): void {
  const { factor, band } = small;
  const { width: columns, height: rows } = small.matte;
  const { width, height } = pixels;
  const from = alphaFrom(small, colourLines(small, band), pixels);
  const clamped = new Uint8ClampedArray(data.buffer, data.byteOffset, data.length);
  for (const cell of band.places) {
    const [left, top] = [(cell % columns) * factor, Math.floor(cell / columns) * factor];
    for (let y = top; y < Math.min(height, top + factor); y++) {
      const v = Math.min(rows - 1, Math.max(0, (y + 0.5) / factor - 0.5));
      const above = Math.floor(v) * columns;
      const below = Math.min(rows - 1, Math.floor(v) + 1) * columns;
      for (let x = left; x < Math.min(width, left + factor); x++) {
        const u = Math.min(columns - 1, Math.max(0, (x + 0.5) / factor - 0.5));
        const [a, b] = [Math.floor(u), Math.min(columns - 1, Math.floor(u) + 1)];
        const i = y * width + x;
        const over = from(above + a, i) + (from(above + b, i) - from(above + a, i)) * (u - a);
        const under = from(below + a, i) + (from(below + b, i) - from(below + a, i)) * (u - a);
        clamped[i] = over + (under - over) * (v - Math.floor(v));
      }
    }
  }
}

/**
 * A matte whose edges follow the photo: closed-form matting in a band around what is unsure. Pixels off
 * the band stay as they are. Time and memory beyond a copy of the matte are bounded: no more than a megapixel is
 * solved, and of it no more than a ninth; larger pictures are finished by the colours around each pixel.
 * @see docs/adr/0019-quality.md
 */
export function refineEdges(pixels: Pixels, matte: Matte, most = MOST): Matte {
  const small = reduced({ pixels, matte }, most);
  const data = Uint8Array.from(matte.data);
  const solved = Uint8Array.from(small.matte.data);
  closedForm(small.pixels, small.matte, small.band).forEach((alpha, n) => {
    solved[small.band.places[n]!] = Math.round(255 * alpha);
  });
  if (small.factor === 1) return { ...matte, data: solved };
  enlarge({ ...small, matte: { ...small.matte, data: solved } }, pixels, data);
  return { ...matte, data };
}
