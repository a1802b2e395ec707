// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, runProgram } from './processes.mjs';
import { isSystemError, StartError } from './start-error.mjs';
import { writeWhole } from './whole-file.mjs';

/** A key of one's own choice, as the gateway accepts it; one of ours has 40 characters. */
const KEY = /^(?!slv_)[\x21-\x7e]{32,200}$|^slv_[0-9A-Za-z]{36}$/;

/**
 * @typedef {object} DevelopmentKey
 * @property {string} key
 * @property {string} [file] where it is stored; undefined if it comes from the environment
 * @property {boolean} isNew whether this start generated it
 */

/**
 * Returns the development key: that of the environment, else the stored one. The first start generates it and stores
 * it in `dev-key` under the home, readable by this user alone.
 * @param {object} how
 * @param {string} how.root
 * @param {string} how.home
 * @param {string | undefined} how.chosen `SELVAGE_DEV_KEY`
 * @returns {Promise<DevelopmentKey>}
 * @throws StartError if the stored one is not whole
 */
export async function developmentKey({ root, home, chosen }) {
  if (chosen) return { key: chosen, isNew: false };
  const file = join(home, 'dev-key');
  const stored = read(file);
  if (stored) return { key: stored, file, isNew: false };
  const args = ['infra/launcher/run.mjs', 'src/cli/main.ts', 'keys', 'mint'];
  const { code, output } = await runProgram(process.execPath, args, { cwd: root });
  if (code !== 0) {
    throw new StartError(`Could not generate a key:\n  ${lastLines(output, 10).join('\n  ')}`);
  }
  writeWhole(file, output);
  return { key: output.trim(), file, isNew: true };
}

/** @param {string} file */
function read(file) {
  const key = readText(file);
  if (key === '' || KEY.test(key)) return key;
  throw new StartError(
    `${file} holds no whole key. Restore it from a backup, or delete it: this start then generates a new one.`,
  );
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return ''; // first start
    throw error;
  }
}
