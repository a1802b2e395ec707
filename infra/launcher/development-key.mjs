// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, runProgram } from './processes.mjs';
import { Refusal } from './start-error.mjs';

/**
 * The key that a person on this machine may use at once: made on the first start and kept in
 * `dev-key` under the home, readable by this user alone.
 * @param {string} root
 * @param {string} home
 */
export async function developmentKey(root, home) {
  const file = join(home, 'dev-key');
  const kept = read(file);
  if (kept) return kept;
  const args = ['--import', 'tsx', 'src/cli/main.ts', 'keys', 'mint'];
  const { code, output } = await runProgram(process.execPath, args, { cwd: root });
  if (code !== 0) {
    throw new Refusal(`No key could be made:\n  ${lastLines(output, 10).join('\n  ')}`);
  }
  writeFileSync(file, output, { mode: 0o600 });
  return output.trim();
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return ''; // the first start here
  }
}
