import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { save } from '../terminal/save.ts';
import { isSameVersion, type Ledger, openLedger } from './ledger.ts';
import type { Photo } from './photos.ts';

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
