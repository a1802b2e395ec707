import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowOutcome } from '../../src/intake/batches/row-reader.ts';
import { PreviousRow, photoKey, previousRow } from '../../src/intake/feeds/kept-rows.ts';
import { type FeedLoss, MAX_NAMED } from '../../src/intake/feeds/plan.ts';
import type { AcceptedRow } from '../../src/queue/job-data.ts';

/** 48 bits of a hash. What was hashed is compared when an entry is read, so a collision is a miss. */
const hashOf = (...parts: (string | number)[]): number =>
  createHash('sha256').update(JSON.stringify(parts)).digest().readUIntBE(0, 6);

/** Ids that differ in case only are those of one product. */
const sameId = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const photoOf = ({ photo }: PreviousRow): number => hashOf(photoKey(photo));

/** The ways to find a row, the surest first. */
const WAYS: readonly {
  key(row: Omit<PreviousRow, 'photo'>): number;
  fits(known: PreviousRow, row: Omit<PreviousRow, 'photo'>): boolean;
}[] = [
  {
    key: ({ customId, url }) => hashOf(customId, url),
    fits: (known, { customId, url }) => known.customId === customId && known.url === url,
  },
  { key: ({ url }) => hashOf(url), fits: (known, { url }) => known.url === url },
  {
    // A signed link has another query each time.
    key: ({ customId, image }) => hashOf(customId.toLowerCase(), image),
    fits: (known, { customId, image }) => sameId(known.customId, customId) && known.image === image,
  },
];

/** A position in the file is one number: up to 2^40 bytes of file, and up to 2^13 pages of entry. */
const PAGE_BYTES = 256;
const MAX_PAGES = 2 ** 13;
const BLOCK_BYTES = 1024 * 1024;

/**
 * The good results of a feed's earlier runs, for random access: about 150 bytes of memory for each, the rest in an
 * unlinked temporary file, which disappears with the process.
 */
export class PreviousImages {
  readonly #file: FileHandle;
  readonly #index = new Map<number, number>();
  /** Of the last run: its photos, and a position for each product. */
  readonly #photos = new Set<number>();
  readonly #products = new Map<number, number>();
  /** Those of the feed that is read now. */
  readonly #foundPhotos = new Set<number>();
  readonly #foundProducts = new Set<number>();
  #page = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @param kept rows that the feed had before its last run @param shown rows of its last run */
  static async index(
    kept: AsyncIterable<PreviousRow>,
    shown: AsyncIterable<RowOutcome>,
    signal: AbortSignal,
  ): Promise<PreviousImages> {
    const path = join(tmpdir(), `selvage-previous-${randomUUID()}`);
    const file = await open(path, 'wx+', 0o600);
    await rm(path);
    const images = new PreviousImages(file);
    try {
      await images.#write(kept, false, signal);
      await images.#write(rowsOf(shown), true, signal);
    } catch (error) {
      await file.close();
      throw error;
    }
    return images;
  }

  async #write(rows: AsyncIterable<PreviousRow>, isShown: boolean, signal: AbortSignal) {
    let pending: Buffer[] = [];
    let bytes = 0;
    for await (const row of rows) {
      const entry = Buffer.from(JSON.stringify(row));
      const count = Math.ceil(entry.length / PAGE_BYTES);
      if (count >= MAX_PAGES) continue;
      const position = this.#page * MAX_PAGES + count;
      for (const { key } of WAYS) this.#index.set(key(row), position);
      if (isShown) this.#photos.add(photoOf(row));
      if (isShown) this.#products.set(hashOf(row.customId.toLowerCase()), position);
      this.#page += count;
      pending.push(entry, Buffer.alloc(count * PAGE_BYTES - entry.length, ' '));
      bytes += count * PAGE_BYTES;
      if (bytes < BLOCK_BYTES) continue;
      signal.throwIfAborted();
      await this.#file.appendFile(Buffer.concat(pending));
      pending = [];
      bytes = 0;
    }
    if (bytes > 0) await this.#file.appendFile(Buffer.concat(pending));
  }

  async #read(position: number): Promise<PreviousRow> {
    const buffer = Buffer.alloc((position % MAX_PAGES) * PAGE_BYTES);
    await this.#file.read(buffer, 0, buffer.length, Math.floor(position / MAX_PAGES) * PAGE_BYTES);
    return PreviousRow.parse(JSON.parse(buffer.toString()));
  }

  /** Finds the last good result for an image of the feed that is read now, and whether it had another link. */
  async find({ customId, source, image = 0 }: AcceptedRow) {
    if (!('url' in source)) return undefined;
    const { url } = source;
    const wanted = { customId, url, image };
    this.#foundProducts.add(hashOf(customId.toLowerCase()));
    for (const { key, fits } of WAYS) {
      const position = this.#index.get(key(wanted));
      if (position === undefined) continue;
      const known = await this.#read(position);
      if (!fits(known, wanted)) continue;
      this.#foundPhotos.add(photoOf(known));
      return { photo: known.photo, isOtherLink: known.url !== url };
    }
    return undefined;
  }

  /** Returns what the last run has and the feed that was read, all of it, has not. */
  async loss(): Promise<FeedLoss> {
    const products = [...this.#products].filter(([id]) => !this.#foundProducts.has(id));
    const first = await Promise.all(
      products.slice(0, MAX_NAMED).map(([, position]) => this.#read(position)),
    );
    let lost = 0;
    for (const photo of this.#photos) if (!this.#foundPhotos.has(photo)) lost++;
    return {
      rows: { before: this.#products.size, lost: products.length },
      pictures: { before: this.#photos.size, lost },
      first: first.map(({ customId: id, title }) => ({ id, ...(title && { title }) })),
    };
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

async function* rowsOf(outcomes: AsyncIterable<RowOutcome>): AsyncGenerator<PreviousRow> {
  for await (const outcome of outcomes) {
    const row = previousRow(outcome);
    if (row) yield row;
  }
}
