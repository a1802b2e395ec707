import type { Chunk, Splitter } from './chunk.ts';
import { BOM, detectEncoding, type Encoding } from './encoding.ts';

const BLOCK_BYTES = 64 * 1024;

/** Regroups bytes into blocks of one size: splitters see neither tiny nor huge blocks. */
async function* blocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let block = Buffer.allocUnsafe(BLOCK_BYTES);
  let length = 0;
  for await (const chunk of source) {
    for (let from = 0; from < chunk.length; ) {
      const taken = Math.min(chunk.length - from, BLOCK_BYTES - length);
      block.set(chunk.subarray(from, from + taken), length);
      length += taken;
      from += taken;
      if (length < BLOCK_BYTES) continue;
      yield block;
      block = Buffer.allocUnsafe(BLOCK_BYTES);
      length = 0;
    }
  }
  if (length > 0) yield block.subarray(0, length);
}

/** Joins consecutive chunks between rows: a feed may have millions of blank lines. */
function* joinBetween(chunks: Iterable<Chunk>): Iterable<Chunk> {
  let between = '';
  for (const chunk of chunks) {
    if (chunk.kind === 'between' && !chunk.header) {
      between += chunk.raw;
      continue;
    }
    if (between) yield { kind: 'between', raw: between };
    between = '';
    yield chunk;
  }
  if (between) yield { kind: 'between', raw: between };
}

/**
 * Reads a source to its end as chunks, in constant memory; an empty source has none.
 * @param charset of the source's media type
 * @param open creates the splitter, once, from the first block of bytes (up to 64 KiB)
 * @throws FeedError encoding, and those of `open` and the splitter
 */
export async function* readChunks(
  source: AsyncIterable<Uint8Array>,
  charset: string | { readonly certain: string } | undefined,
  open: (encoding: Encoding, head: Buffer) => Splitter,
): AsyncGenerator<Chunk> {
  let reader: { encoding: Encoding; splitter: Splitter } | undefined;
  function openReader(head: Buffer) {
    const encoding =
      typeof charset === 'object'
        ? detectEncoding(head, charset.certain, true)
        : detectEncoding(head, charset);
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
