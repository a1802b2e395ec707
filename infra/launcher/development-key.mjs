// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, runProgram } from './processes.mjs';
import { StartError } from './start-error.mjs';

/**
 * Returns the development key. The first start generates it and stores it in `dev-key` under the home, readable by
 * this user alone.
 * @param {string} root
 * @param {string} home
 */
export async function developmentKey(root, home) {
  const file = join(home, 'dev-key');
  const stored = read(file);
  if (stored) return stored;
  const args = ['--import', 'tsx', 'src/cli/main.ts', 'keys', 'mint'];
  const { code, output } = await runProgram(process.execPath, args, { cwd: root });
  if (code !== 0) {
    throw new StartError(`Could not generate a key:\n  ${lastLines(output, 10).join('\n  ')}`);
  }
  writeFileSync(file, output, { mode: 0o600 });
  return output.trim();
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return ''; // first start
  }
}
