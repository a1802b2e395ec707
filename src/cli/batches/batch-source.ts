import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { extname, relative } from 'node:path';
import type { BatchRow, Client, UploadResult } from '../../../packages/client/src/client.ts';
import { parseBatchRows } from '../../feed-formats/batch-rows.ts';
import { photosUnder } from '../images/photos.ts';
import { usageError } from '../terminal/exit.ts';

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
  upload(client: Client, id: string, options: SourceUploadOptions): Promise<UploadResult>;
}

type RowFormat = 'ndjson' | 'csv';
const FORMATS: Readonly<Record<string, RowFormat>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

const parseFile = (file: string, format: RowFormat) =>
  parseBatchRows(createReadStream(file), { format });

async function* toRows(
  file: string,
  format: RowFormat,
  onRow: () => void,
): AsyncGenerator<BatchRow> {
  for await (const line of parseFile(file, format)) {
    if (line.kind !== 'row') continue;
    onRow();
    const { customId, image } = line;
    yield 'url' in image
      ? { customId, imageUrl: image.url }
      : { customId, imageBase64: image.base64 };
  }
}

async function rowSource(file: string, format: RowFormat): Promise<Source> {
  let total = 0;
  const invalidRows = [];
  for await (const line of parseFile(file, format)) {
    if (line.kind === 'row') total++;
    if (line.kind !== 'error') continue;
    const { id, detail } = line;
    invalidRows.push({ line: line.line, ...(id !== undefined && { customId: id }), detail });
  }
  return {
    total,
    invalidRows,
    upload: (client, id, { onRow, ...options }) =>
      client.batches.addRows(id, toRows(file, format, onRow), options),
  };
}

/** The service accepts names without folders; the names of subfolders become part of the name. */
const nameOf = (folder: string, file: string): string =>
  relative(folder, file).replaceAll(/[\\/]/g, '_');

async function* toFiles(folder: string, files: readonly string[], onRow: () => void) {
  for (const file of files) {
    onRow();
    yield { name: nameOf(folder, file), image: await readFile(file) };
  }
}

async function folderSource(folder: string): Promise<Source> {
  const files = await photosUnder(folder);
  return {
    total: files.length,
    invalidRows: [],
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
  const format = FORMATS[extname(path).toLowerCase()];
  if (format) return rowSource(path, format);
  throw usageError(`${path} is not a .ndjson or .csv file or a folder`);
}
