// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './processes.mjs';
import { Refusal } from './start-error.mjs';

/** npm says first what is wrong, then how it is used. */
const SHOWN_LINES = 10;

/**
 * Installs what package-lock.json names, unless it is there already.
 * @param {string} root
 * @param {import('./terminal.mjs').Say} say
 */
export async function installPackages(root, say) {
  if (isInstalled(root)) return;
  await say.step('Installing packages: npm ci', async () => {
    const { code, output } = await npmCi(root);
    if (code !== 0) throw new Refusal(fault(code, output));
  });
}

/**
 * @param {number | null} code
 * @param {string} output
 */
function fault(code, output) {
  const lines = output.split('\n').filter((line) => /^npm error \S/.test(line));
  return [
    `npm ci failed (exit code ${code}). It said:`,
    ...lines.slice(0, SHOWN_LINES).map((line) => `  ${line}`),
    'Mend that (often: no network, or a registry that wants a login), then start again.',
  ].join('\n');
}

/** @param {string} root */
function npmCi(root) {
  // Under `npm start` that very npm; development packages too, whatever NODE_ENV says: tsx is one.
  const npm = process.env.npm_execpath;
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  const command = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const [program = 'npm', ...before] = command;
  return runProgram(program, [...before, ...args], { cwd: root });
}

/**
 * Whether every package is there in the version the lock file names. npm writes its own account of
 * node_modules when it is done: an install that was cut short has none.
 * @param {string} root
 */
function isInstalled(root) {
  const account = join(root, 'node_modules', '.package-lock.json');
  const lock = readJson(join(root, 'package-lock.json'));
  if (!lock || !existsSync(account)) return false;
  const { '': _project, ...packages } = lock.packages;
  return Object.entries(packages).every(([path, { version, optional }]) => {
    const installed = readJson(join(root, path, 'package.json'));
    return installed ? installed.version === version : optional;
  });
}

/** @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // not there, or not written to its end
  }
}
