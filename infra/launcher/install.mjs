// @ts-check
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runProgram } from './processes.mjs';
import { StartError } from './start-error.mjs';

/** No install scripts: that of onnxruntime-node downloads CUDA libraries, and no package needs its own. */
const QUIETLY = ['--ignore-scripts', '--no-audit', '--no-fund'];
/** npm prints the reason first, then its usage. */
const MAX_SHOWN_LINES = 10;

/** The inference library: if its install script fails, npm leaves it out of an installed package. */
const RUNTIME = 'onnxruntime-node';

/**
 * Whether this is the repository, and not the package installed from a registry, which is compiled and has no lock file.
 * @param {string} root
 */
export const isCheckout = (root) => existsSync(join(root, 'package-lock.json'));

/**
 * Installs the inference library beside the workers of an installed package, unless npm did. Its install script downloads
 * libraries for CUDA, which npm cannot do everywhere and most machines do not need: it is not run.
 * @param {string} root
 * @param {import('./terminal.mjs').Terminal} terminal
 * @throws StartError if that fails
 */
export async function installRuntime(root, terminal) {
  const workers = join(root, 'dist', 'workers');
  if (isResolved(join(workers, 'main.js'))) return;
  const version = readJson(join(root, 'package.json'))?.optionalDependencies[RUNTIME];
  await terminal.step(`Installing ${RUNTIME} ${version}`, async () => {
    // Else npm would write one, and the programs would not be modules any more.
    writeFileSync(join(workers, 'package.json'), '{"private": true, "type": "module"}\n');
    const what = ['install', '--prefix', workers, '--no-save', `${RUNTIME}@${version}`];
    const { code, output } = await npm(root, [...what, ...QUIETLY]);
    if (code !== 0) throw new StartError(installError('npm install', code, output));
  });
}

/** @param {string} program */
function isResolved(program) {
  try {
    createRequire(program).resolve(RUNTIME);
    return true;
  } catch {
    return false;
  }
}

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
    // Development packages too, whatever NODE_ENV says: tsx is one.
    const { code, output } = await npm(root, ['ci', '--include=dev', ...QUIETLY]);
    if (code !== 0) throw new StartError(installError('npm ci', code, output));
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
 * @param {string} command
 * @param {number | null} code
 * @param {string} output
 */
function installError(command, code, output) {
  const lines = output.split('\n').filter((line) => /^npm error \S/.test(line));
  return [
    `${command} failed with exit code ${code}:`,
    ...lines.slice(0, MAX_SHOWN_LINES).map((line) => `  ${line}`),
    'Fix that (often: no network, or a registry that needs a login), then start again.',
  ].join('\n');
}

/**
 * @param {string} root
 * @param {readonly string[]} args
 */
function npm(root, args) {
  // Under `npm start`, the same npm.
  const script = process.env.npm_execpath;
  const command = script?.endsWith('.js') ? [process.execPath, script] : ['npm'];
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
