import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BatchManifestRow, Client } from '../../client/client.ts';
import { endsAll, faultText } from '../terminal/error-report.ts';
import { inParallel } from '../terminal/in-parallel.ts';
import type { Output } from '../terminal/output.ts';
import { watch } from '../terminal/progress.ts';
import { save } from '../terminal/save.ts';

/** Where what came of a batch goes. */
export interface DownloadOptions extends Output {
  folder: string;
  force: boolean;
  /** Of cut-outs, without a dot. */
  extension: string;
}

const PICTURES_AT_ONCE = 4;
const REPORTS = ['results', 'errors', 'manifest'] as const;

async function* asLines(rows: AsyncGenerator<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** Results, errors and manifest as files that bear the batch's id; those of an earlier call are replaced. */
async function saveReports(client: Client, id: string, folder: string, signal: AbortSignal) {
  for (const name of REPORTS) {
    const rows = client.batches[name](id, { signal });
    await save(join(folder, `${id}.${name}.ndjson`), { folder, force: true }, (unfinished) =>
      pipeline(Readable.from(asLines(rows)), createWriteStream(unfinished), { signal }),
    );
  }
}

/** `sku/1.jpg` -> `sku_1`: what clients call their rows is not trusted as a path. */
export const fileNameOf = (customId: string): string =>
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

type Kept = BatchManifestRow & { cutout: NonNullable<BatchManifestRow['cutout']> };

async function* keptRows(client: Client, id: string, signal: AbortSignal): AsyncGenerator<Kept> {
  for await (const row of client.batches.manifest(id, { signal })) {
    if (row.cutout) yield { ...row, cutout: row.cutout };
  }
}

/** Fetches one picture, unless an earlier call did. */
async function savePicture(
  client: Client,
  id: string,
  { row, customId = `row-${row}`, cutout }: Kept,
  { folder, force, extension }: DownloadOptions,
  signal: AbortSignal,
): Promise<void> {
  const path = join(folder, `${fileNameOf(customId)}.${extension}`);
  if ((await hashOf(path)) === cutout.sha256) return;
  await save(path, { folder, force }, async (unfinished) => {
    const { image } = await client.batches.cutout(id, row, { signal });
    await writeFile(unfinished, image);
  });
}

/**
 * Downloads reports and cut-outs of a batch; what is there already is not fetched again.
 * @param pictures how many there are
 * @returns how many could not be saved
 */
export async function downloadBatch(
  client: Client,
  id: string,
  pictures: number,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<number> {
  await saveReports(client, id, options.folder, signal);
  const progress = watch(pictures, 'pictures', options);
  let failed = 0;
  try {
    await inParallel(
      keptRows(client, id, signal),
      PICTURES_AT_ONCE,
      signal,
      async (row, either) => {
        try {
          await savePicture(client, id, row, options, either);
        } catch (error) {
          either.throwIfAborted();
          if (endsAll(error)) throw error;
          failed++;
          progress.note(`${row.customId}: ${faultText(error)}`);
        }
        progress.step();
      },
    );
  } finally {
    progress.stop();
  }
  return failed;
}
