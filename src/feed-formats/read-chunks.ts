import type { Chunk, Splitter } from './chunk.ts';
import { BOM, detectEncoding, type Encoding } from './encoding.ts';

const BLOCK_BYTES = 64 * 1024;

/** The same bytes in blocks of one size, so that neither crumbs nor boulders reach the splitters. */
async function* blocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held = Buffer.allocUnsafe(BLOCK_BYTES);
  let length = 0;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.length; ) {
      const taken = Math.min(chunk.length - from, BLOCK_BYTES - length);
      held.set(chunk.subarray(from, from + taken), length);
      length += taken;
      from += taken;
      if (length < BLOCK_BYTES) continue;
      yield held;
      held = Buffer.allocUnsafe(BLOCK_BYTES);
      length = 0;
    }
  }
  if (length > 0) yield held.subarray(0, length);
}

/** The same pieces, those between rows put together: a feed may have millions of blank lines. */
function* joinBetween(pieces: Iterable<Chunk>): Iterable<Chunk> {
  let between = '';
  for (const piece of pieces) {
    if (piece.kind === 'between' && !piece.header) {
      between += piece.raw;
      continue;
    }
    if (between) yield { kind: 'between', raw: between };
    between = '';
    yield piece;
  }
  if (between) yield { kind: 'between', raw: between };
}

/**
 * Reads a source to its end as pieces, in constant memory; an empty one has none.
 * @param charset from the media type the source came with
 * @param open makes the splitter, once, from the first block of bytes (up to 64 KiB)
 * @throws FeedError encoding, and what `open` and the splitter throw
 */
export async function* readChunks(
  source: AsyncIterable<Uint8Array>,
  charset: string | undefined,
  open: (encoding: Encoding, head: Buffer) => Splitter,
): AsyncGenerator<Chunk> {
  let reader: { encoding: Encoding; splitter: Splitter } | undefined;
  function openReader(head: Buffer) {
    const encoding = detectEncoding(head, charset);
    return { encoding, splitter: open(encoding, head) };
  }
  for await (const block of blocks(source)) {
    const isFirst = !reader;
    reader ??= openReader(block);
    let raw = reader.encoding.toRaw(block);
    if (isFirst && raw.startsWith(BOM)) {
      yield { kind: 'between', raw: BOM };
      raw = raw.slice(BOM.length);
    }
    yield* joinBetween(reader.splitter.push(raw));
  }
  if (reader) yield* joinBetween(reader.splitter.end());
}
