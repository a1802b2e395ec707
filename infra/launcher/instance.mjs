// @ts-check
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, isProcess } from './processes.mjs';
import { Refusal } from './start-error.mjs';

const ORPHAN_MILLIS = 10_000;

/** By what each process is known again: part of its command line. */
export const ENTRIES = {
  launcher: 'launch.mjs',
  gateway: 'src/main.ts',
  worker: 'workers/main.ts',
};

/**
 * What is written of a running instance, for the commands that want to find it.
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
 *   changes what is written
 * @property {() => Instance} read
 * @property {() => void} release
 */

/**
 * Takes this home for one launcher, by writing `instance.json` (mode 0600) where there is none. What
 * a launcher that was killed left running is ended first.
 * @param {string} home
 * @param {string} url
 * @param {import('./terminal.mjs').Say} say
 * @returns {Promise<Claim>}
 * @throws Refusal where an instance runs here
 */
export async function claimHome(home, url, say) {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const file = join(home, 'instance.json');
  const draft = `${file}.${process.pid}`;
  /** @type {Instance} */
  let instance = { url, pids: { launcher: process.pid }, startedAt: new Date().toISOString() };
  const write = () =>
    writeFileSync(draft, `${JSON.stringify(instance, null, 2)}\n`, { mode: 0o600 });

  await clearLeftover(file, home, say);
  write();
  try {
    linkSync(draft, file); // fails where another launcher was faster
  } catch (cause) {
    throw new Refusal(`Another start under ${home} is under way.`, { cause });
  } finally {
    rmSync(draft);
  }
  return {
    note(change) {
      instance = { ...instance, ...change, pids: { ...instance.pids, ...change.pids } };
      write();
      renameSync(draft, file);
    },
    read: () => instance,
    release: () => rmSync(file, { force: true }),
  };
}

/**
 * @param {string} file
 * @param {string} home
 * @param {import('./terminal.mjs').Say} say
 */
async function clearLeftover(file, home, say) {
  const left = readInstance(file);
  if (!left) return rmSync(file, { force: true });
  const { launcher, gateway, worker } = left.pids;
  if (launcher !== process.pid && isProcess(launcher, ENTRIES.launcher)) {
    throw new Refusal(
      `Selvage runs already under ${home}: ${left.url} (process ${launcher}).\n` +
        `Stop it with Ctrl-C where it runs, or: kill ${launcher}\n` +
        'For a second one choose another home and port: SELVAGE_HOME=.selvage-2 PORT=8090 npm start',
    );
  }
  for (const [name, pid] of /** @type {const} */ ([
    ['gateway', gateway],
    ['worker', worker],
  ])) {
    if (!pid || !isProcess(pid, ENTRIES[name])) continue;
    say.warn(`An earlier start was killed and left its ${name} running; ending it`);
    await endProcess(pid, ORPHAN_MILLIS);
  }
  rmSync(file, { force: true });
}

/**
 * @param {string} file
 * @returns {Instance | undefined}
 */
function readInstance(file) {
  try {
    const instance = JSON.parse(readFileSync(file, 'utf8'));
    return typeof instance.pids?.launcher === 'number' ? instance : undefined;
  } catch {
    return undefined; // there is none, or it was not written by a launcher
  }
}
