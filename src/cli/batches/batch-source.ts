import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import type { BatchRow, Client, UploadResult } from '../../../packages/client/src/client.ts';
import { parseBatchRows } from '../../feed-formats/batch-rows.ts';
import { feedImages, HEAD_BYTES } from '../../feed-formats/feed-images.ts';
import { photosUnder, readPicture } from '../images/photos.ts';
import { usageError } from '../terminal/output.ts';

/** How a source is uploaded. */
interface SourceUploadOptions {
  /** Continues an earlier upload of the same source. */
  resume: boolean;
  signal: AbortSignal;
  /** Called for every row read from the source. */
  onRow(): void;
}

/** Many images: a file of rows or a folder of photos. */
export interface Source {
  /** Number of rows that can be sent. */
  total: number;
  /** Rows that cannot be sent. */
  invalidRows: readonly { line: number; customId?: string; detail: string }[];
  /** The line of a row in the file, from 1. */
  lineOf(customId: string): number | undefined;
  upload(client: Client, id: string, options: SourceUploadOptions): Promise<UploadResult>;
}

type RowFormat = 'ndjson' | 'csv';
/** A row, or why there is none, by the number of its line in the file. */
type FileRow = { line: number; customId?: string } & ({ row: BatchRow } | { detail: string });

/** How a file of rows is read. */
type RowReader = (file: string) => AsyncGenerator<FileRow>;

/** Reads the rows of a batch as they are uploaded: images may be in them. */
const readBatchRows = (format: RowFormat): RowReader =>
  async function* (file) {
    for await (const item of parseBatchRows(createReadStream(file), { format })) {
      if (item.kind === 'header') continue;
      const { line } = item;
      if (item.kind === 'error') {
        const { id, detail } = item;
        yield { line, detail, ...(id !== undefined && { customId: id }) };
        continue;
      }
      const { customId, image } = item;
      const content = 'url' in image ? { imageUrl: image.url } : { imageBase64: image.base64 };
      yield { line, customId, row: { customId, ...content } };
    }
  };

/** Reads the images of a feed of any kind. */
async function* readFeedRows(file: string): AsyncGenerator<FileRow> {
  const images = feedImages(createReadStream(file), { fileName: basename(file) });
  for await (const image of images) {
    if ('detail' in image) yield image;
    else {
      const { line, customId, url: imageUrl } = image;
      yield { line, customId, row: { customId, imageUrl } };
    }
  }
}

async function readerOf(file: string): Promise<RowReader> {
  const [head = ''] = await createReadStream(file, {
    encoding: 'latin1',
    end: HEAD_BYTES,
  }).toArray();
  if (!/image_?base64/i.test(head)) return readFeedRows;
  return readBatchRows(/^\s*\{/.test(head) ? 'ndjson' : 'csv');
}

async function* toRows(file: string, read: RowReader, onRow: () => void): AsyncGenerator<BatchRow> {
  for await (const each of read(file)) {
    if (!('row' in each)) continue;
    onRow();
    yield each.row;
  }
}

async function rowSource(file: string): Promise<Source> {
  const read = await readerOf(file);
  const lines = new Map<string, number>();
  const invalidRows = [];
  for await (const each of read(file)) {
    if ('row' in each) lines.set(each.row.customId ?? '', each.line);
    else invalidRows.push(each);
  }
  return {
    total: lines.size,
    invalidRows,
    lineOf: (customId) => lines.get(customId),
    upload: (client, id, { onRow, ...options }) =>
      client.batches.addRows(id, toRows(file, read, onRow), options),
  };
}

/** The service accepts names without folders; the names of subfolders become part of the name. */
const nameOf = (folder: string, file: string): string =>
  relative(folder, file).replaceAll(/[\\/]/g, '_');

async function* toFiles(folder: string, files: readonly string[], onRow: () => void) {
  for (const file of files) {
    onRow();
    yield { name: nameOf(folder, file), image: await readPicture(file) };
  }
}

async function folderSource(folder: string): Promise<Source> {
  const files = await photosUnder(folder);
  return {
    total: files.length,
    invalidRows: [],
    lineOf: () => undefined,
    upload: (client, id, { onRow, ...options }) =>
      client.batches.addFiles(id, toFiles(folder, files, onRow), options),
  };
}

/** Opens a source and counts its rows. @throws CliError if it is not a source; FeedError */
export async function openSource(path: string): Promise<Source> {
  const found = await stat(path).catch(() => {
    throw usageError(`There is no file or folder ${path}`);
  });
  if (found.isDirectory()) return folderSource(path);
  return rowSource(path);
}
