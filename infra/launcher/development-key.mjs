// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, runProgram } from './processes.mjs';
import { StartError } from './start-error.mjs';

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
  writeFileSync(file, output, { mode: 0o600 });
  return { key: output.trim(), file, isNew: true };
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return ''; // first start
  }
}
