// @ts-check
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './processes.mjs';
import { StartError } from './start-error.mjs';

/** npm prints the reason first, then its usage. */
const MAX_SHOWN_LINES = 10;

/**
 * Installs the packages of package-lock.json, unless they are installed.
 * @param {string} root
 * @param {import('./terminal.mjs').Terminal} terminal
 * @throws StartError if that fails, or if node_modules is a symbolic link
 */
export async function installPackages(root, terminal) {
  if (isInstalled(root)) return;
  requireOwnFolder(join(root, 'node_modules'));
  await terminal.step('Installing packages: npm ci', async () => {
    const { code, output } = await npmCi(root);
    if (code !== 0) throw new StartError(installError(code, output));
  });
}

/**
 * `npm ci` first deletes what is in node_modules: behind a link, the packages of another checkout.
 * @param {string} folder
 */
function requireOwnFolder(folder) {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new StartError(
    `${folder} is a symbolic link, and what it leads to lacks packages of this checkout's package-lock.json.\n` +
      'Installing them would delete packages that others use. Remove the link (not what it leads to), then start again:\n' +
      `  rm "${folder}"`,
  );
}

/**
 * @param {number | null} code
 * @param {string} output
 */
function installError(code, output) {
  const lines = output.split('\n').filter((line) => /^npm error \S/.test(line));
  return [
    `npm ci failed with exit code ${code}:`,
    ...lines.slice(0, MAX_SHOWN_LINES).map((line) => `  ${line}`),
    'Fix that (often: no network, or a registry that needs a login), then start again.',
  ].join('\n');
}

/** @param {string} root */
function npmCi(root) {
  // Under `npm start`, the same npm. Development packages too, whatever NODE_ENV says: tsx is one.
  const npm = process.env.npm_execpath;
  // No install scripts: that of onnxruntime-node downloads CUDA libraries, and no package needs its own.
  const args = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const command = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const [program = 'npm', ...before] = command;
  return runProgram(program, [...before, ...args], { cwd: root });
}

/**
 * Whether every package is installed in the locked version. npm writes node_modules/.package-lock.json
 * last: an interrupted install has none.
 * @param {string} root
 */
function isInstalled(root) {
  const account = join(root, 'node_modules', '.package-lock.json');
  const lock = readJson(join(root, 'package-lock.json'));
  if (!lock || !existsSync(account)) return false;
  const { '': _project, ...packages } = lock.packages;
  return Object.entries(packages).every(([path, { version, optional, link }]) => {
    const installed = readJson(join(root, path, 'package.json'));
    // A link to a workspace has no version; the workspace is an entry of its own.
    return installed ? link || installed.version === version : optional;
  });
}

/** @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // missing or incomplete
  }
}
