import { createHash } from 'node:crypto';
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { jsonOr } from '../../platform/json.ts';
import { save } from '../terminal/files.ts';
import type { Photo } from './photos.ts';

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
const parseLine = (line: string): Entry | undefined => Entry.safeParse(jsonOr(line)).data;

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

const hashOf = (request: object): string =>
  createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 16);

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  );

/** What runs of a command have made in an output folder: `selvage-<command>.ndjson` in it. */
export class PhotoLedger {
  readonly #folder: string;
  readonly #ledger: Ledger;
  readonly #request: string;
  readonly #force: boolean;

  private constructor(folder: string, ledger: Ledger, request: string, force: boolean) {
    this.#folder = folder;
    this.#ledger = ledger;
    this.#request = request;
    this.#force = force;
  }

  /**
   * @param request the options: what was made with others is made anew
   * @param force whether to replace files that are not of this command, and to make all anew
   */
  static async open(
    command: string,
    folder: string,
    { request, force }: { request: object; force: boolean },
  ): Promise<PhotoLedger> {
    const ledger = await openLedger(join(folder, `selvage-${command}.ndjson`));
    return new PhotoLedger(folder, ledger, hashOf(request), force);
  }

  /** Whether the output is there as it was made, of this version of the photo with these options. */
  async isDone({ input, output }: Photo): Promise<boolean> {
    if (this.#force) return false;
    const entry = this.#ledger.latestOf(resolve(input));
    if (entry?.status !== 'succeeded' || entry.request !== this.#request) return false;
    if (entry.output !== this.#nameOf(output) || entry.bytes !== (await sizeOf(output)))
      return false;
    return isSameVersion(await this.#versionOf(input), entry);
  }

  /**
   * Makes the output of a photo; replaces that of an earlier run, unless somebody has changed it.
   * @param write writes it at a temporary path; `force` is for further files of the photo
   */
  async make<T>(
    { input, output }: Photo,
    write: (temporary: string, force: boolean) => Promise<T>,
  ): Promise<T> {
    const line = {
      ...(await this.#versionOf(input)),
      output: this.#nameOf(output),
      request: this.#request,
    };
    const force = this.#force || (await this.#isOwn(output));
    const made = await save(output, { folder: this.#folder, force }, async (temporary) => {
      await this.#ledger.append({ ...line, status: 'started' });
      return write(temporary, force);
    });
    await this.#ledger.append({ ...line, status: 'succeeded', bytes: await sizeOf(output) });
    return made;
  }

  close(): Promise<void> {
    return this.#ledger.close();
  }

  /** Whether this command has made an output that is as it was, or was about to replace it. */
  async #isOwn(output: string): Promise<boolean> {
    const maker = this.#ledger.makerOf(this.#nameOf(output));
    const entry = maker === undefined ? undefined : this.#ledger.latestOf(maker);
    return entry?.status === 'started' || (!!entry && entry.bytes === (await sizeOf(output)));
  }

  #nameOf(output: string): string {
    return relative(this.#folder, output);
  }

  async #versionOf(input: string) {
    const { size, mtimeMs } = await stat(input);
    return { file: resolve(input), sizeBytes: size, modifiedMillis: mtimeMs };
  }
}
