import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

/** One file as it was seen. */
export interface FileVersion {
  /** Path under the watched folder. */
  file: string;
  sizeBytes: number;
  modifiedMillis: number;
}

const Entry = z.looseObject({
  file: z.string(),
  sizeBytes: z.number(),
  modifiedMillis: z.number(),
  status: z.enum(['started', 'succeeded', 'failed']),
  /** Path under the output folder. */
  output: z.string(),
});
export type Entry = z.infer<typeof Entry>;

/** Whether two versions of a file are the same. */
export const isSameVersion = (one: FileVersion, other: FileVersion | undefined): boolean =>
  one.sizeBytes === other?.sizeBytes && one.modifiedMillis === other.modifiedMillis;

/** A process that is killed leaves the end of a line at most. */
function parseLine(line: string): Entry | undefined {
  try {
    return Entry.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/**
 * Opens the record of what was done: a line for each start and each end of a file. The latest line of a file counts.
 * @param path of an NDJSON file; created if missing
 */
export async function openLedger(path: string) {
  await mkdir(dirname(path), { recursive: true });
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const latest = new Map<string, Entry>();
  /** Which file has made an output. */
  const fileByOutput = new Map<string, string>();
  const remember = (entry: Entry): void => {
    latest.set(entry.file, entry);
    if (entry.status !== 'failed') fileByOutput.set(entry.output, entry.file);
  };
  for (const line of text.split('\n')) {
    const entry = parseLine(line);
    if (entry) remember(entry);
  }
  /** Which file makes an output at present. */
  const claims = new Map<string, string>();
  const file = await open(path, 'a');
  /** Adds text whole or not at all: on a full disk no half line is left. */
  async function add(added: string): Promise<void> {
    const { size } = await file.stat();
    await file.appendFile(added).catch(async (error) => {
      await file.truncate(size);
      throw error;
    });
  }
  if (text !== '' && !text.endsWith('\n')) await add('\n');
  let writing: Promise<unknown> = Promise.resolve();
  return {
    /** Returns the latest line of a file. */
    latestOf: (name: string): Entry | undefined => latest.get(name),
    /** Whether this version of a file has ended. */
    hasEnded(version: FileVersion): boolean {
      const entry = latest.get(version.file);
      return entry !== undefined && entry.status !== 'started' && isSameVersion(version, entry);
    },
    /** Returns the file that has made an output, or has started to. */
    makerOf: (output: string): string | undefined => fileByOutput.get(output),
    /** Reserves an output for a file until `release`. Returns the file that has it, which may be another. */
    claim(output: string, name: string): string {
      const holder = fileByOutput.get(output) ?? claims.get(output) ?? name;
      claims.set(output, holder);
      return holder;
    },
    release(output: string, name: string): void {
      if (claims.get(output) === name) claims.delete(output);
    },
    /** Adds a line, one after the other. */
    async append(entry: Entry): Promise<void> {
      const line = `${JSON.stringify(entry)}\n`;
      const written = writing.then(() => add(line));
      writing = written.catch(() => {});
      await written;
      remember(entry);
    },
    close: () => file.close(),
  };
}

export type Ledger = Awaited<ReturnType<typeof openLedger>>;
