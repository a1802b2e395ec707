// @ts-check
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MILLIS = 20;
/** The rest of a process group has no open work to finish. */
const GROUP_MILLIS = 5_000;

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/**
 * Returns the path of the first of these programs that is on PATH.
 * @param {...string} names
 */
export function findProgram(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false; // missing, or not executable
      }
    });
}

/**
 * Runs a program to completion; kills it if this process exits first.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<{ code: number | null, output: string }>} both output streams together;
 *   code is null if it could not be started or a signal ended it
 */
export async function runProgram(command, args, options = {}) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  process.once('exit', end);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, output: error.message }));
    child.on('close', (code) => {
      process.off('exit', end);
      resolve({ code, output });
    });
  });
}

/**
 * Returns the last non-empty lines of a text.
 * @param {string} text
 * @param {number} count
 */
export const lastLines = (text, count) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count);

/**
 * Whether the process exists. A zombie does not count: in a container nobody may ever reap it.
 * @param {number} pid negative: any process of the group
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !/^State:\s+Z/m.test(readProc(pid, 'status') ?? '');
}

/**
 * @param {number} pid
 * @param {string} file
 * @returns {string | undefined} undefined without /proc, or if the process is gone
 */
function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Returns the command line of a process, empty if it cannot be read.
 * @param {number} pid
 */
function commandOf(pid) {
  const words = readProc(pid, 'cmdline');
  if (words !== undefined) return words.replaceAll('\0', ' ');
  const ps = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.stdout ?? '';
}

/**
 * Whether this process runs and is the expected one: pids are reused.
 * @param {number} pid
 * @param {string} mark part of its command line
 */
export const isProcess = (pid, mark) => isAlive(pid) && commandOf(pid).includes(mark);

/**
 * Resolves with true when the process is gone, or with false on timeout.
 * @param {number} pid
 * @param {number} millis
 */
export async function waitForExit(pid, millis) {
  const until = performance.now() + millis;
  while (isAlive(pid)) {
    if (performance.now() > until) return false;
    await delay(POLL_MILLIS);
  }
  return true;
}

/**
 * Stops a process that is not a child: SIGTERM, a grace period, SIGKILL.
 * @param {number} pid negative: the whole group
 * @param {number} graceMillis
 */
export async function endProcess(pid, graceMillis) {
  signalProcess(pid, 'SIGTERM');
  if (await waitForExit(pid, graceMillis)) return;
  signalProcess(pid, 'SIGKILL');
  await waitForExit(pid, graceMillis);
}

/**
 * Sends a signal; does nothing if the process is gone.
 * @param {number} pid negative: the whole group
 * @param {NodeJS.Signals} signal
 */
export function signalProcess(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/**
 * Stops a child, then the rest of its process group: a signal, a grace period, SIGKILL.
 * @param {ChildProcess} child leader of its own process group
 * @param {number} graceMillis
 * @param {NodeJS.Signals} [ask]
 */
export async function endChild(child, graceMillis, ask = 'SIGTERM') {
  if (child.pid === undefined) return;
  const group = -child.pid;
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    const force = setTimeout(signalProcess, graceMillis, group, 'SIGKILL');
    signalProcess(child.pid, ask);
    await gone;
    clearTimeout(force);
  }
  await endProcess(group, Math.min(graceMillis, GROUP_MILLIS));
}
