import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Levels } from '../../src/imaging/matte.ts';
import {
  endBefore,
  firstFrom,
  type Matte,
  type Pixels,
  type Size,
  wordsOf,
} from '../../src/imaging/picture.ts';

/** The types of Node.js lack it. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
}
const api = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;

/** An address in the memory of an instance, or another number. */
interface Address {
  value: number;
}

/** What every module exports; the buffer is another one when the memory has grown. */
interface Instance {
  memory: { buffer: ArrayBuffer };
}

/** Memory up to this is kept for the next call, bytes: what was never used is ten times slower. */
const MAX_KEPT_BYTES = 2 ** 24;

/**
 * Compiles `data/<name>.wasm`.
 * @returns a function that calls another one with an instance, whose memory may hold what the last one left
 */
function compileModule<T extends Instance>(name: string): <R>(use: (instance: T) => R) => R {
  const file = new URL(`../../data/${name}.wasm`, import.meta.url);
  const module = new api.Module(readFileSync(file));
  let kept: T | undefined;
  return (use) => {
    const instance = kept ?? (new api.Instance(module).exports as T);
    kept = undefined;
    const result = use(instance);
    if (instance.memory.buffer.byteLength <= MAX_KEPT_BYTES) kept = instance;
    return result;
  };
}

/** How thoroughly edges are refined. */
export interface Refinement {
  /** A solution stops at a residual of `tolerance` relative to the right-hand side, or after `maxIterations`. */
  tolerance: number;
  maxIterations: number;
  /** How often the prior is reweighted after the first solution. */
  reweightings: number;
  limits: {
    /** Larger images, and images with longer edges, are downscaled before solving. */
    pixels: number;
    unknowns: number;
    /** Where more of the image is to be solved, 0..1, it is left as it is: that is no edge. */
    share: number;
  };
  /** The least length that is solved for, in cells of the network's output. */
  minCell: number;
}

/** What `assembly/edges.ts` exports. */
interface Edges extends Instance {
  alpha: Address;
  colours: Address;
  line: Address;
  enlarged: Address;
  band: Address;
  needed: Address;
  runEnd: Address;
  begin(columns: number, rows: number, photoColumns: number): void;
  addRow(bytes: number): void;
  endAlpha(y: number, rows: number, factor: number, columns: number): void;
  findBand(): number;
  findRun(marks: number, y: number, x: number): number;
  endColours(
    y: number,
    rows: number,
    factor: number,
    columns: number,
    from: number,
    to: number,
  ): void;
  solveBand(
    tolerance: number,
    maxIterations: number,
    reweightings: number,
    low: number,
    high: number,
  ): number;
  fitLines(columns: number): void;
  enlarge(y: number, left: number, right: number, factor: number): void;
}

const withEdges = compileModule<Edges>('edges');

/** A picture small enough to be solved: each pixel of it is a block of the image, `factor` pixels a side. */
interface Picture extends Size {
  edges: Edges;
  factor: number;
}

const memoryOf = ({ memory }: Instance): Uint8Array => new Uint8Array(memory.buffer);

/** Returns the first and the last pixel of a block that are in the image. */
const spanOf = (block: number, factor: number, length: number): readonly [number, number] => [
  block * factor,
  Math.min(length, (block + 1) * factor),
];

function shrinkMatte({ edges, factor, height }: Picture, matte: Matte): void {
  const { data, width } = matte;
  const memory = memoryOf(edges);
  if (factor === 1) {
    memory.set(data, edges.alpha.value);
    return;
  }
  const line = edges.line.value;
  for (let row = 0; row < height; row++) {
    const [top, bottom] = spanOf(row, factor, matte.height);
    for (let y = top; y < bottom; y++) {
      memory.set(data.subarray(y * width, (y + 1) * width), line);
      edges.addRow(width);
    }
    edges.endAlpha(row, bottom - top, factor, width);
  }
}

/** Returns a picture within the limits in which the pixels to be solved for are known; undefined if there is none. */
function pictureOf(
  edges: Edges,
  matte: Matte,
  { limits, minCell }: Refinement,
  cell: number,
): Picture | undefined {
  const fitting = Math.ceil(Math.sqrt((matte.width * matte.height) / limits.pixels));
  for (let factor = Math.max(1, fitting, Math.floor(minCell * cell)); ; factor++) {
    const width = Math.ceil(matte.width / factor);
    const height = Math.ceil(matte.height / factor);
    const picture = { edges, factor, width, height };
    edges.begin(width, height, matte.width);
    shrinkMatte(picture, matte);
    const count = edges.findBand();
    if (count === 0 || count > limits.share * width * height) return undefined;
    if (count <= limits.unknowns) return picture;
  }
}

/** Yields the row and the ends of each run of marked pixels. */
function* runsOf(
  { edges, width, height }: Picture,
  marks: Address,
): Generator<readonly [row: number, from: number, to: number]> {
  for (let row = 0; row < height; row++)
    for (let x = 0; ; x = edges.runEnd.value) {
      const from = edges.findRun(marks.value, row, x);
      if (from === width) break;
      yield [row, from, edges.runEnd.value];
    }
}

/** Reads the colours on which the solution depends. */
function shrinkColours(picture: Picture, { data, width, height }: Pixels): void {
  const { edges, factor } = picture;
  const memory = memoryOf(edges);
  if (factor === 1) {
    memory.set(data, edges.colours.value);
    return;
  }
  for (const [row, from, to] of runsOf(picture, edges.needed)) {
    const [top, bottom] = spanOf(row, factor, height);
    const [left, right] = [from * factor, Math.min(width, to * factor)];
    for (let y = top; y < bottom; y++) {
      const start = 3 * (y * width + left);
      memory.set(data.subarray(start, start + 3 * (right - left)), edges.line.value);
      edges.addRow(3 * (right - left));
    }
    edges.endColours(row, bottom - top, factor, width, from, to);
  }
}

function writeAlpha(picture: Picture, { data, width, height }: Pixels, alpha: Uint8Array): void {
  const { edges, factor } = picture;
  if (factor > 1) edges.fitLines(width);
  const memory = memoryOf(edges);
  for (const [row, from, to] of runsOf(picture, edges.band)) {
    const [top, bottom] = spanOf(row, factor, height);
    const [left, right] = [from * factor, Math.min(width, to * factor)];
    for (let y = top; y < bottom; y++) {
      const [start, end] = [y * width + left, y * width + right];
      if (factor > 1) {
        memory.set(data.subarray(3 * start, 3 * end), edges.line.value);
        edges.enlarge(y, left, right, factor);
      }
      const from = factor > 1 ? edges.enlarged.value : edges.alpha.value + start;
      alpha.set(memory.subarray(from, from + end - start), start);
    }
  }
}

/**
 * Makes the edges of a matte follow the photo, in place: closed-form matting in a band around unsure alpha. Pixels off
 * the band keep their alpha. Time and memory are bounded by the limits; larger images are upscaled by the colours around
 * each pixel.
 * @param cell length of a cell of the network's output, pixels
 * @param levels alphas beyond them become 0 and 255
 * @see docs/adr/0019-quality.md, docs/adr/0046-edges-by-default.md, docs/adr/0131-edges-in-web-assembly.md
 */
export function refineEdges(
  pixels: Pixels,
  matte: Matte,
  refinement: Refinement,
  [low, high]: Levels,
  cell: number,
): void {
  withEdges((edges) => {
    const picture = pictureOf(edges, matte, refinement, cell);
    if (!picture) return;
    shrinkColours(picture, pixels);
    const { tolerance, maxIterations, reweightings } = refinement;
    edges.solveBand(tolerance, maxIterations, reweightings, low, high);
    writeAlpha(picture, pixels, matte.data);
  });
}

/**
 * A PNG writer for cut-outs only: RGBA, 8 bits, just the three mandatory chunks.
 *
 * General encoders try five filters on every row, and compress byte by byte. One fixed filter, the difference to the row
 * above, is as good for photos under a matte; `assembly/deflate.ts` compresses whole pixels. Transparent rows and ends of
 * rows cost next to nothing.
 * @see PNG (Third Edition), W3C 2025, sections 5 (chunks), 9 (filters), 10 (compression)
 * @see docs/adr/0115-pixels-are-deflated.md
 */

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const RGBA_8_BIT = [8, 6, 0, 0, 0];

/** Length, type, data, checksum. */
export function pngChunk(type: string, data: Uint8Array): Buffer {
  const out = Buffer.alloc(data.length + 12);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  out.set(data, 8);
  out.writeUInt32BE(crc32(out.subarray(4, data.length + 8)), data.length + 8);
  return out;
}

function header(width: number, height: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set(RGBA_8_BIT, 8);
  return pngChunk('IHDR', data);
}

/** What `assembly/deflate.ts` exports. */
interface Deflate extends Instance {
  /** Of a row's colours, of its alpha, and of what was compressed. */
  colours: Address;
  alpha: Address;
  out: Address;
  begin(width: number): void;
  clearRow(): void;
  row(from: number, to: number): number;
  finish(): number;
}

const withDeflate = compileModule<Deflate>('deflate');

function* dataChunks(
  deflate: Deflate,
  { data, width, height }: Pixels,
  alpha: Uint8Array,
): Generator<Buffer> {
  deflate.begin(width);
  const memory = new Uint8Array(deflate.memory.buffer);
  const { colours, alpha: opacity, out } = deflate;
  const chunkOf = (bytes: number) =>
    pngChunk('IDAT', memory.subarray(out.value, out.value + bytes));
  const words = wordsOf(alpha);
  for (let start = 0; start < width * height; start += width) {
    const from = firstFrom(alpha, words, start, start + width, 1);
    const to = endBefore(alpha, words, from, start + width, 1);
    if (from === to) {
      deflate.clearRow();
      continue;
    }
    memory.set(data.subarray(3 * from, 3 * to), colours.value + 3 * (from - start));
    memory.set(alpha.subarray(from, to), opacity.value + from - start);
    const bytes = deflate.row(from - start, to - start);
    if (bytes > 0) yield chunkOf(bytes);
  }
  yield chunkOf(deflate.finish());
}

/**
 * Encodes a cut-out as PNG: the colours of `pixels` under the alpha of `matte`, both of one size. Clears the
 * colours of fully transparent pixels and writes no metadata.
 */
export const encodePng = (pixels: Pixels, matte: Matte): Buffer =>
  withDeflate((deflate) =>
    Buffer.concat([
      SIGNATURE,
      header(pixels.width, pixels.height),
      ...dataChunks(deflate, pixels, matte.data),
      pngChunk('IEND', new Uint8Array()),
    ]),
  );
