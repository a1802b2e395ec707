import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { extname, relative } from 'node:path';
import type { BatchRow, Client, Uploaded } from '../../client/client.ts';
import { parseBatchRows } from '../../feed-formats/batch-rows.ts';
import { photosUnder } from '../images/photos.ts';
import { usageError } from '../terminal/exit.ts';

/** How a source is sent. */
export interface SendOptions {
  /** Goes on with an earlier upload of the same source. */
  resume: boolean;
  signal: AbortSignal;
  /** Hears of every row that is taken from the source. */
  onRow(): void;
}

/** Many images, as a file of rows or a folder of photos. */
export interface Source {
  /** Rows that can be sent. */
  total: number;
  /** Rows that cannot. */
  faults: readonly { line: number; customId?: string; detail: string }[];
  send(client: Client, id: string, options: SendOptions): Promise<Uploaded>;
}

type RowFormat = 'ndjson' | 'csv';
const FORMATS: Readonly<Record<string, RowFormat>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

const linesOf = (file: string, format: RowFormat) =>
  parseBatchRows(createReadStream(file), { format });

async function* rowsOf(
  file: string,
  format: RowFormat,
  onRow: () => void,
): AsyncGenerator<BatchRow> {
  for await (const line of linesOf(file, format)) {
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
  const faults = [];
  for await (const line of linesOf(file, format)) {
    if (line.kind === 'row') total++;
    if (line.kind !== 'fault') continue;
    const { id, detail } = line;
    faults.push({ line: line.line, ...(id !== undefined && { customId: id }), detail });
  }
  return {
    ...{ total, faults },
    send: (client, id, { onRow, ...options }) =>
      client.batches.addRows(id, rowsOf(file, format, onRow), options),
  };
}

/** A service takes names without folders; rows of inner folders keep theirs in the name. */
const nameOf = (folder: string, file: string): string =>
  relative(folder, file).replaceAll(/[\\/]/g, '_');

async function* filesOf(folder: string, files: readonly string[], onRow: () => void) {
  for (const file of files) {
    onRow();
    yield { name: nameOf(folder, file), image: await readFile(file) };
  }
}

async function folderSource(folder: string): Promise<Source> {
  const files = await photosUnder(folder);
  return {
    ...{ total: files.length, faults: [] },
    send: (client, id, { onRow, ...options }) =>
      client.batches.addFiles(id, filesOf(folder, files, onRow), options),
  };
}

/** Looks through a source once. @throws CliError where it is none; FeedError */
export async function openSource(path: string): Promise<Source> {
  const found = await stat(path).catch(() => {
    throw usageError(`There is no file or folder ${path}`);
  });
  if (found.isDirectory()) return folderSource(path);
  const format = FORMATS[extname(path).toLowerCase()];
  if (format) return rowSource(path, format);
  throw usageError(`${path} is no .ndjson, .csv or folder`);
}
