import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BatchResult, Client } from '../../../packages/client/src/client.ts';
import { fileNameOf } from '../../output/formats.ts';
import { errorText, isFatal } from '../terminal/error-report.ts';
import { save } from '../terminal/files.ts';
import { forEachParallel } from '../terminal/for-each-parallel.ts';
import type { Output } from '../terminal/output.ts';
import { showProgress } from '../terminal/progress.ts';

/** Where the results of a batch are saved. */
interface DownloadOptions extends Output {
  folder: string;
  force: boolean;
  /** File extension of cut-outs, without a dot. */
  extension: string;
}

const PARALLEL_DOWNLOADS = 4;
const REPORTS = ['results', 'errors', 'manifest'] as const;

async function* toLines(rows: AsyncGenerator<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** Saves results, errors and manifest under the batch's id; replaces those of an earlier call. */
async function saveReports(client: Client, id: string, folder: string, signal: AbortSignal) {
  for (const name of REPORTS) {
    const rows = client.batches[name](id, { signal });
    await save(join(folder, `${id}.${name}.ndjson`), { folder, force: true }, (temporary) =>
      pipeline(Readable.from(toLines(rows)), createWriteStream(temporary), { signal }),
    );
  }
}

const sha256Of = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** A file of a row that succeeded. */
interface RowFile {
  path: string;
  /** Of its content. */
  sha256: string;
  read(): Promise<string | Uint8Array>;
}

/** Returns the files of a row: its cut-out, its garments, and last the description of these. */
function filesOf(
  client: Client,
  batchId: string,
  { row, customId, cutout, outfit }: BatchResult,
  { folder, extension }: DownloadOptions,
  signal: AbortSignal,
): RowFile[] {
  const { batches } = client;
  const base = join(folder, fileNameOf(customId));
  const files: RowFile[] = [];
  if (cutout) {
    const read = async () => (await batches.cutout(batchId, row, { signal })).image;
    files.push({ path: `${base}.${extension}`, sha256: cutout.sha256, read });
  }
  if (!outfit) return files;
  for (const { index, group, cutout: garment } of outfit.garments) {
    if (!garment) continue;
    const read = async () => (await batches.garment(batchId, row, index, { signal })).image;
    files.push({ path: `${base}-${index}-${group}.png`, sha256: garment.sha256, read });
  }
  const description = `${JSON.stringify(outfit, undefined, 2)}\n`;
  const sha256 = sha256Of(description);
  files.push({ path: `${base}.json`, sha256, read: async () => description });
  return files;
}

/** Writes a file, unless an earlier call did. */
async function saveFile({ path, sha256, read }: RowFile, { folder, force }: DownloadOptions) {
  const present = await readFile(path).catch(() => undefined);
  if (present && sha256Of(present) === sha256) return;
  await save(path, { folder, force }, async (temporary) => writeFile(temporary, await read()));
}

/**
 * Downloads the reports, cut-outs and garments of a batch; files that exist already are not downloaded again.
 * @param count number of rows that succeeded
 * @returns of how many rows a file could not be saved, and how many a person should look at
 */
export async function downloadBatch(
  client: Client,
  id: string,
  count: number,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<{ unsaved: number; toCheck: number }> {
  await saveReports(client, id, options.folder, signal);
  const progress = showProgress(count, 'images', options);
  let unsaved = 0;
  let toCheck = 0;
  try {
    await forEachParallel(
      client.batches.results(id, { signal }),
      PARALLEL_DOWNLOADS,
      signal,
      async (row, either) => {
        if (row.cutout?.review?.needed || row.outfit?.review.needed) toCheck++;
        try {
          for (const file of filesOf(client, id, row, options, either))
            await saveFile(file, options);
        } catch (error) {
          either.throwIfAborted();
          if (isFatal(error)) throw error;
          unsaved++;
          progress.note(`${row.customId}: ${errorText(error)}`);
        }
        progress.step();
      },
    );
  } finally {
    progress.stop();
  }
  return { unsaved, toCheck };
}
