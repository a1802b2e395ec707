// @ts-check
import { linkSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endProcess, isProcess } from './processes.mjs';
import { isSystemError, START, STOP, StartError } from './start-error.mjs';
import { writeWhole } from './whole-file.mjs';

const ORPHAN_MILLIS = 10_000;
/** How long a file is left alone that could not be written. */
const RETRY_MILLIS = 5_000;

/** Part of each process's command line, which identifies it: of earlier versions too, compiled or not. */
const ENTRIES = {
  launcher: 'infra/launch',
  gateway: 'src/main.',
  worker: 'workers/main.',
};

/**
 * The contents of `instance.json`, by which commands find a running instance.
 * @typedef {object} Instance
 * @property {string} url
 * @property {string} [redisUrl]
 * @property {{ launcher: number, gateway?: number, worker?: number, redis?: number }} pids
 * @property {string} startedAt
 * @property {string} [readyAt] set once `/readyz` has answered 200
 */

/**
 * @typedef {object} Claim
 * @property {(change: Partial<Omit<Instance, 'pids'>> & { pids?: Partial<Instance['pids']> }) => void} note
 *   updates the file
 * @property {() => Instance} read
 * @property {() => void} release
 */

/**
 * Claims this home for one launcher by creating `instance.json` (mode 0600). First stops the processes that a
 * killed launcher left running.
 * @param {string} home
 * @param {string} url
 * @param {import('./terminal.mjs').Terminal} terminal
 * @returns {Promise<Claim>}
 * @throws StartError if an instance is running here
 */
export async function claimHome(home, url, terminal) {
  makeHome(home);
  const file = join(home, 'instance.json');
  /** @type {Instance} */
  let instance = { url, pids: { launcher: process.pid }, startedAt: new Date().toISOString() };
  const write = (/** @type {Parameters<typeof writeWhole>[2]} */ place = undefined) =>
    writeWhole(file, `${JSON.stringify(instance, null, 2)}\n`, place);
  /** @type {NodeJS.Timeout | undefined} */
  let retry;

  /** On a full disk the file keeps what it had: that ends no process. */
  function save() {
    clearTimeout(retry);
    try {
      write();
    } catch {
      retry = setTimeout(save, RETRY_MILLIS).unref();
    }
  }

  await endOrphans(file, home, terminal);
  try {
    write(linkSync); // fails if another launcher was faster
  } catch (cause) {
    if (!isSystemError(cause) || cause.code !== 'EEXIST') throw cause;
    throw new StartError(`Another start under ${home} is in progress.`, { cause });
  }
  return {
    note(change) {
      instance = { ...instance, ...change, pids: { ...instance.pids, ...change.pids } };
      save();
    },
    read: () => instance,
    release() {
      clearTimeout(retry);
      rmSync(file, { force: true });
    },
  };
}

/**
 * A recursive mkdir says ENOENT for a read-only disk.
 * @param {string} home
 */
function makeHome(home) {
  mkdirSync(dirname(home), { recursive: true });
  try {
    mkdirSync(home, { mode: 0o700 });
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
  }
}

/**
 * @param {string} file
 * @param {string} home
 * @param {import('./terminal.mjs').Terminal} terminal
 */
async function endOrphans(file, home, terminal) {
  const left = readInstance(file);
  if (!left) return rmSync(file, { force: true });
  const { launcher, gateway, worker } = left.pids;
  if (launcher !== process.pid && launcherOf(left)) {
    throw new StartError(
      `Selvage already runs under ${home}: ${left.url} (process ${launcher}).\n` +
        `Stop it with Ctrl-C in its terminal, or: ${STOP}\n` +
        `To run a second one, choose another home and port: SELVAGE_HOME=.selvage-2 PORT=8090 ${START}`,
    );
  }
  for (const [name, pid] of /** @type {const} */ ([
    ['gateway', gateway],
    ['worker', worker],
  ])) {
    if (!pid || !isProcess(pid, ENTRIES[name])) continue;
    terminal.warn(`A killed launcher left its ${name} running; stopping it`);
    await endProcess(pid, ORPHAN_MILLIS);
  }
  rmSync(file, { force: true });
}

/**
 * Returns the process of an instance's launcher, if it is alive.
 * @param {Instance} instance
 */
export const launcherOf = ({ pids: { launcher } }) =>
  isProcess(launcher, ENTRIES.launcher) ? launcher : undefined;

/**
 * @param {string} file
 * @returns {Instance | undefined}
 */
export function readInstance(file) {
  try {
    const instance = JSON.parse(readFileSync(file, 'utf8'));
    return typeof instance.pids?.launcher === 'number' ? instance : undefined;
  } catch {
    return undefined; // missing, or not written by a launcher
  }
}
