import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BatchManifestRow, Client } from '../../../packages/client/src/client.ts';
import { errorText, isFatal } from '../terminal/error-report.ts';
import { forEachParallel } from '../terminal/for-each-parallel.ts';
import type { Output } from '../terminal/output.ts';
import { showProgress } from '../terminal/progress.ts';
import { save } from '../terminal/save.ts';

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

/** `sku/1.jpg` -> `sku_1`: a customId is not trusted as a path. */
const fileNameOf = (customId: string): string =>
  customId
    .replace(/\.(jpe?g|png|webp)$/i, '')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^\.+/, '_')
    .slice(0, 200);

const hashOf = (file: string): Promise<string | undefined> =>
  readFile(file).then(
    (bytes) => createHash('sha256').update(bytes).digest('hex'),
    () => undefined,
  );

type CutOutRow = BatchManifestRow & { cutout: NonNullable<BatchManifestRow['cutout']> };

async function* cutOutRows(
  client: Client,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<CutOutRow> {
  for await (const row of client.batches.manifest(id, { signal })) {
    if (row.cutout) yield { ...row, cutout: row.cutout };
  }
}

/** Downloads one cut-out, unless an earlier call did. */
async function saveCutOut(
  client: Client,
  id: string,
  { row, customId = `row-${row}`, cutout }: CutOutRow,
  { folder, force, extension }: DownloadOptions,
  signal: AbortSignal,
): Promise<void> {
  const path = join(folder, `${fileNameOf(customId)}.${extension}`);
  if ((await hashOf(path)) === cutout.sha256) return;
  await save(path, { folder, force }, async (temporary) => {
    const { image } = await client.batches.cutout(id, row, { signal });
    await writeFile(temporary, image);
  });
}

/**
 * Downloads the reports and cut-outs of a batch; files that exist already are not downloaded again.
 * @param count number of cut-outs
 * @returns how many could not be saved, and how many a person should look at
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
      cutOutRows(client, id, signal),
      PARALLEL_DOWNLOADS,
      signal,
      async (row, either) => {
        if (row.cutout.review?.needed) toCheck++;
        try {
          await saveCutOut(client, id, row, options, either);
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
