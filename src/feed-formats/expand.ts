import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Unzip, type UnzipFile, UnzipInflate, UnzipPassThrough } from 'fflate';
import { FEED_LIMITS } from './chunk.ts';
import { FeedError } from './feed-error.ts';

/**
 * Reads the beginning of a source.
 * @param isEnough whether it is known what had to be known
 * @returns the beginning, and everything: it throws where the source does
 */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  isEnough: (head: Buffer) => boolean,
): Promise<{ head: Buffer; all: AsyncGenerator<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  const read = () => iterator.next().catch((error: unknown) => ({ error }));
  let head = Buffer.alloc(0);
  let next = await read();
  while (!('error' in next) && !next.done) {
    head = Buffer.concat([head, next.value]);
    if (isEnough(head)) break;
    next = await read();
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > 0) yield head;
      if ('error' in next) throw next.error;
      let result = next;
      while (!result.done) {
        result = await iterator.next();
        if (!result.done) yield result.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { head, all: all() };
}

/** Passes chunks on. @param see is called with each before; it may throw */
export async function* passing(
  chunks: AsyncIterable<Uint8Array>,
  see: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    see(chunk);
    yield chunk;
  }
}

/** How many bytes a compressed feed may become. */
export interface ExpansionLimit {
  freeBytes: number;
  /** Added for each received byte. */
  ratio: number;
}

/** Feeds reach 100:1 with good compressions; a bomb of 1 kB, 1,000,000:1. */
export const EXPANSION: Readonly<ExpansionLimit> = { freeBytes: 8 * 1024 * 1024, ratio: 200 };

/** Counts what comes in and what comes out. */
class Expansion {
  #received = 0;
  #written = 0;
  readonly #limit: ExpansionLimit;

  constructor(limit: ExpansionLimit) {
    this.#limit = limit;
  }

  receive({ length }: Uint8Array): void {
    this.#received += length;
  }

  /** @throws FeedError expansion */
  write({ length }: Uint8Array): void {
    this.#written += length;
    const { freeBytes, ratio } = this.#limit;
    if (this.#written > FEED_LIMITS.maxBytes)
      throw new FeedError('too-large', `The feed is larger than ${FEED_LIMITS.maxBytes} bytes`);
    if (this.#written <= freeBytes + ratio * this.#received) return;
    const detail =
      'The feed is many times larger than its compressed form; send it with less compression';
    throw new FeedError('compressed', detail);
  }
}

const BLOCK_BYTES = 16 * 1024;

function* blocks(chunk: Uint8Array): Iterable<Uint8Array> {
  for (let from = 0; from < chunk.length; from += BLOCK_BYTES)
    yield chunk.subarray(from, from + BLOCK_BYTES);
}

async function* gunzip(source: AsyncIterable<Uint8Array>, expansion: Expansion) {
  const gunzipped = createGunzip();
  const received = passing(source, (chunk) => expansion.receive(chunk));
  // If the source fails, the decoder is destroyed with the error, and its reader gets it.
  pipeline(received, gunzipped, () => {});
  try {
    yield* passing(gunzipped, (chunk) => expansion.write(chunk));
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !/^Z_/.test(String(error.code)))
      throw error;
    throw new FeedError('compressed', 'The gzip file is damaged or cut off; send it again');
  }
}

/** Files that an archive has besides the feed: folders, and what macOS adds. */
const isBeside = (name: string): boolean => /(^|\/)(__MACOSX\/|\.)|\/$/.test(name);

/** What the files of Excel and of OpenDocument begin with. */
const WORKBOOK = /^(?:\[Content_Types\]\.xml|_rels\/|xl\/|mimetype$)/;

/** The bit of a zip entry's flags that says it has a password; they are in its seventh byte. */
const ENCRYPTED = 1;
const FLAGS_AT = 6;
const METHODS = [0, 8];

async function* unzip(source: AsyncIterable<Uint8Array>, expansion: Expansion) {
  const written: Uint8Array[] = [];
  const names: string[] = [];
  let isComplete = false;
  function onFile(file: UnzipFile): void {
    if (isBeside(file.name)) {
      file.ondata = () => {};
      file.start();
      return;
    }
    names.push(file.name);
    if (WORKBOOK.test(file.name))
      throw new FeedError('compressed', 'This is a spreadsheet, not text: save it as CSV');
    if (names.length > 1) {
      const detail = `The zip file has several files (${names.map((name) => JSON.stringify(name.slice(0, 60))).join(', ')}, …); send one with the feed alone`;
      throw new FeedError('compressed', detail);
    }
    if (!METHODS.includes(file.compression))
      throw new FeedError('compressed', 'The zip file is compressed in a way that is not read');
    file.ondata = (error, chunk, isLast) => {
      if (error) throw error instanceof FeedError ? error : damaged();
      expansion.write(chunk);
      written.push(chunk);
      isComplete ||= isLast;
    };
    file.start();
  }
  const reader = new Unzip(onFile);
  reader.register(UnzipInflate);
  reader.register(UnzipPassThrough);
  let isFirst = true;
  for await (const chunk of source) {
    for (const block of blocks(chunk)) {
      if (isFirst && ((block[FLAGS_AT] ?? 0) & ENCRYPTED) !== 0)
        throw new FeedError('compressed', 'The zip file has a password; send it without');
      isFirst = false;
      expansion.receive(block);
      push(reader, block);
      yield* written.splice(0);
    }
  }
  push(reader, new Uint8Array(), true);
  yield* written.splice(0);
  if (names.length === 0) throw new FeedError('compressed', 'The zip file has no file in it');
  if (!isComplete) throw damaged();
}

const damaged = (): FeedError =>
  new FeedError('compressed', 'The zip file is damaged or cut off; send it again');

function push(reader: Unzip, block: Uint8Array, isLast = false): void {
  try {
    reader.push(block, isLast);
  } catch (error) {
    throw error instanceof FeedError ? error : damaged();
  }
}

/** Compressed forms by their first bytes. */
const FORMS = [
  { start: '\x1f\x8b', open: gunzip },
  { start: 'PK\x03\x04', open: unzip },
] as const;
const LONGEST_START = 4;

/** A file that is gzip, and that a server compresses again. */
const MAX_LAYERS = 2;

/**
 * Decompresses a feed that is sent as gzip or as a zip file with one file in it, or as one within the other; any other
 * passes as it is.
 * @throws FeedError compressed, if it is damaged, has a password, several files or becomes too large
 */
export async function* expandFeed(
  source: AsyncIterable<Uint8Array>,
  limit: ExpansionLimit = EXPANSION,
  layers = MAX_LAYERS,
): AsyncGenerator<Uint8Array> {
  const { head, all } = await peek(source, ({ length }) => length >= FLAGS_AT + 1);
  const start = head.subarray(0, LONGEST_START).toString('latin1');
  const form = FORMS.find((each) => start.startsWith(each.start));
  if (!form || layers === 0) yield* all;
  else yield* expandFeed(form.open(all, new Expansion(limit)), limit, layers - 1);
}
