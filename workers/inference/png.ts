import { crc32 } from 'node:zlib';
import {
  endBefore,
  firstFrom,
  type Matte,
  type Pixels,
  wordsOf,
} from '../../src/imaging/picture.ts';
import { type Address, compileModule, type Instance } from './web-assembly.ts';

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

/** Yields the chunks of the pixels. */
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
