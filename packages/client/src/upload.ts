import { readJson } from './answer.ts';
import type { Batch, BatchRow, Uploaded } from './contract.ts';
import { clientError } from './error.ts';
import type { Many, NamedFile, UploadOptions } from './interface.ts';
import { asBlob, oneTime } from './payload.ts';
import type { Payload, Transport } from './transport.ts';

/** How items of one kind are sent, and how the service counts how far they are in. */
export interface UploadKind<Item> {
  bytes(item: Item): number;
  /** What an item adds to the offset. */
  step(item: Item): number;
  payload(items: readonly Item[]): Payload;
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

type Line = Uint8Array<ArrayBuffer>;
const lengthOf = ({ byteLength }: Line): number => byteLength;

/** Rows as lines of JSON; the offset counts bytes. */
export const ROWS: UploadKind<Line> = {
  bytes: lengthOf,
  step: lengthOf,
  payload: (lines) => ({
    content: new Blob([...lines]),
    bytes: sum(lines, lengthOf),
    mediaType: 'application/x-ndjson',
  }),
};

const sizeOf = ({ image }: NamedFile): number =>
  image instanceof Blob ? image.size : image.byteLength;

/** Files of a form; the offset counts files. */
export const FILES: UploadKind<NamedFile> = {
  bytes: sizeOf,
  step: () => 1,
  payload(files) {
    const form = new FormData();
    for (const { name, image } of files) form.append('file', asBlob(image), name);
    return { content: form, bytes: sum(files, sizeOf) };
  },
};

const encoder = new TextEncoder();
export async function* asLines(rows: Many<BatchRow>): AsyncGenerator<Line> {
  for await (const row of rows) yield encoder.encode(`${JSON.stringify(row)}\n`);
}

/** What is sent at once, and held in memory until the service has it. */
const PIECE = { bytes: 8 * 2 ** 20, items: 20_000 } as const;

async function* inPieces<Item>(items: Many<Item>, kind: UploadKind<Item>, maxBytes: number) {
  let piece: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    const more = kind.bytes(item);
    if (piece.length > 0 && (bytes + more > maxBytes || piece.length === PIECE.items)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(item);
    bytes += more;
  }
  if (piece.length > 0) yield piece;
}

const unlike = () =>
  clientError('conflict', 'These are not the rows or files that the upload began with');

/**
 * Passes over the items before an offset.
 * @returns tells of each item whether it comes after
 * @throws SelvageError `conflict` where the offset lies within an item
 */
function isAfter<Item>(offset: number, { step }: UploadKind<Item>) {
  let at = 0;
  return (item: Item): boolean => {
    const from = at;
    at += step(item);
    if (from < offset && at > offset) throw unlike();
    return from >= offset;
  };
}

async function* remainingOf<Item>(items: Many<Item>, offset: number, kind: UploadKind<Item>) {
  const isLeft = isAfter(offset, kind);
  for await (const item of items) if (isLeft(item)) yield item;
}

/** Sends items piece by piece; where a piece breaks off, what of it is not in. */
export async function upload<Item>(
  { call, once, repeated, maxBodyBytes }: Transport,
  path: string,
  items: Many<Item>,
  kind: UploadKind<Item>,
  { resume = false, ...options }: UploadOptions = {},
): Promise<Uploaded> {
  const total: Uploaded = { accepted: 0, rejected: 0, offset: 0, errors: [], warnings: [] };
  const batch = { method: 'GET', path } as const;
  const before = await call(batch, readJson<Batch>, options);
  let offset = resume ? before.upload?.offset : undefined;

  function note({ errors, warnings, ...counts }: Uploaded): void {
    total.accepted += counts.accepted;
    total.rejected += counts.rejected;
    total.offset = offset = counts.offset;
    total.errors = [...total.errors, ...errors].slice(0, 10);
    total.warnings = [...new Set([...total.warnings, ...warnings])];
  }

  /** What of a piece is not in, after an attempt whose answer did not come. */
  async function remaining(piece: readonly Item[], signal: AbortSignal): Promise<readonly Item[]> {
    const { counts, upload: latest } = await once(batch, readJson<Batch>, signal);
    const accepted = counts.accepted - before.counts.accepted - total.accepted;
    const rejected = counts.rejected - before.counts.rejected - total.rejected;
    if (!latest || accepted + rejected === 0) return piece;
    const known = latest.offset - (offset ?? 0);
    note({ accepted, rejected, offset: latest.offset, errors: [], warnings: [] });
    return piece.filter(isAfter(known, kind));
  }

  async function sendPiece(piece: readonly Item[]): Promise<void> {
    let rest = piece;
    let headers = oneTime();
    await repeated(options, async (attempt, signal) => {
      const left = attempt === 1 ? rest : await remaining(rest, signal);
      if (left !== rest) headers = oneTime();
      rest = left;
      if (rest.length === 0) return;
      const body = kind.payload(rest);
      const sending = { path: `${path}/items`, query: { offset }, headers, body };
      note(await once({ method: 'POST', ...sending }, readJson<Uploaded>, signal));
    });
  }

  const maxBytes = Math.min(PIECE.bytes, maxBodyBytes);
  for await (const piece of inPieces(remainingOf(items, offset ?? 0, kind), kind, maxBytes)) {
    await sendPiece(piece);
  }
  return total;
}
