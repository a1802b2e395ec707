import { Readable } from 'node:stream';
import { makeZip } from 'client-zip';
import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import type { RowOutcome } from '../../../intake/batches/row-reader.ts';
import { fileNameOf } from '../../../output/formats.ts';
import { extensionOf } from '../../../output/options.ts';
import { Problem } from '../../../platform/problem.ts';
import type { StoredCutOut } from '../../../queue/job-data.ts';
import type { Blobs } from '../../../storage/blobs.ts';
import { openVerified } from '../../verified-blob.ts';
import { publicProblem } from '../job-response.ts';
import { REPORTS } from './reports.ts';

/** Lists the rows of an archive that have no file in it, and why. */
const ERRORS_FILE = 'errors.ndjson';

/** Names files, each differently, also where file systems take capital letters for small ones. */
class FileNames {
  readonly #used = new Set([ERRORS_FILE]);

  nameOf({ customId, row }: { customId?: string | undefined; row: number }, extension: string) {
    const base = fileNameOf(customId ?? '') || `${row}`;
    const names = [base, `${base}-${row}`].map((name) => `${name}.${extension}`);
    const name = names.find((each) => !this.#used.has(each.toLowerCase())) ?? `${row}.${extension}`;
    this.#used.add(name.toLowerCase());
    return name;
  }
}

interface ArchiveSource {
  blobs: Blobs;
  batch: BatchRecord;
  outcomes: AsyncIterable<RowOutcome>;
  /** Returns why a cut-out may be missing now. */
  missing(): Promise<Problem | undefined>;
  signal: AbortSignal;
}

const isOfOneFile = (error: unknown): error is Problem =>
  error instanceof Problem && (error.type === 'damaged' || error.type === 'gone');

/** Opens the cut-out of a row, or returns its line for the file of errors. */
async function openOrTell(
  { blobs, missing, signal }: ArchiveSource,
  { row }: RowOutcome,
  cutout: StoredCutOut,
): Promise<Readable | object> {
  return openVerified(blobs, cutout, signal, missing).catch((error) => {
    if (!isOfOneFile(error)) throw error;
    const { customId, line } = row;
    return { row: row.row, customId, line, problem: publicProblem(error) };
  });
}

async function* filesOf(source: ArchiveSource) {
  const { batch, outcomes } = source;
  const names = new FileNames();
  const lastModified = new Date(batch.createdAt);
  const errors: object[] = [];
  for await (const outcome of outcomes) {
    const { row, result } = outcome;
    const cutout = result?.status === 'succeeded' ? result.results.cutout : undefined;
    const found = cutout
      ? await openOrTell(source, outcome, cutout)
      : REPORTS.errors(batch, outcome);
    if (found instanceof Readable && cutout) {
      const name = names.nameOf(row, extensionOf(cutout.mediaType));
      yield { name, lastModified, input: found };
    } else if (found) errors.push(found);
  }
  if (errors.length === 0) return;
  const input = errors.map((line) => `${JSON.stringify(line)}\n`).join('');
  yield { name: ERRORS_FILE, lastModified, input };
}

/**
 * Streams a ZIP archive of the cut-outs of a batch, uncompressed, one after the other; `errors.ndjson` lists the rows
 * without one. It breaks off, and so is no valid archive, if storage fails meanwhile or a large file is damaged.
 */
export const archiveOf = (source: ArchiveSource): Readable =>
  Readable.fromWeb(makeZip(filesOf(source)) as Parameters<typeof Readable.fromWeb>[0]);
