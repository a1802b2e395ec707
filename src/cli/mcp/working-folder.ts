import { realpath, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { sniffFormat } from '../../imaging/sniff.ts';
import { readPicture } from '../images/picture.ts';
import { CliError } from '../terminal/exit.ts';
import { save } from '../terminal/save.ts';

/** The one folder whose photos a program may read, and where it may write cut-outs. */
export class WorkingFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** Reads a photo. @throws CliError if it is outside, not there or no picture */
  async read(path: string): Promise<Uint8Array> {
    const [root, file] = await Promise.all([
      realpath(this.#folder),
      realpath(join(this.#folder, path)).catch(() => {
        throw new CliError(`There is no file ${path} in ${this.#folder}`);
      }),
    ]);
    if (!file.startsWith(root.endsWith(sep) ? root : root + sep))
      throw new CliError(`${path} is outside ${this.#folder}`);
    const picture = await readPicture(file);
    if (sniffFormat(picture)) return picture;
    throw new CliError(`${path} is no JPEG, PNG, WebP or AVIF`);
  }

  /** Writes a new file, and returns its path. @throws CliError if it exists or is outside */
  async write(path: string, image: Uint8Array): Promise<string> {
    const file = join(this.#folder, path);
    await save(file, { folder: this.#folder, force: false }, (temporary) =>
      writeFile(temporary, image),
    );
    return file;
  }
}
