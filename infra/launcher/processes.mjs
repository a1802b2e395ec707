// @ts-check
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MILLIS = 20;
/** What a process left behind has no work of its own to finish. */
const LEFT_MILLIS = 5_000;

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/**
 * The first of these programs that is on PATH, with its folder.
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
        return false; // not there, or not ours to run
      }
    });
}

/**
 * Runs a program to its end, or to ours.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<{ code: number | null, output: string }>} what it printed, both streams together;
 *   code is null where it could not be started or was ended by a signal
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
 * The last lines of a text that say anything.
 * @param {string} text
 * @param {number} count
 */
export const lastLines = (text, count) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-count);

/**
 * Whether there is such a process. One that has ended and waits for its parent to notice (in a
 * container that may be for ever) is none any more.
 * @param {number} pid negative: anyone in the group
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
 * @returns {string | undefined} nothing where there is no /proc, or no such process any more
 */
function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * The command line of a process, empty where there is none to be seen.
 * @param {number} pid
 */
function commandOf(pid) {
  const words = readProc(pid, 'cmdline');
  if (words !== undefined) return words.replaceAll('\0', ' ');
  const ps = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.stdout ?? '';
}

/**
 * Whether this process lives and is the one meant: numbers are given out again.
 * @param {number} pid
 * @param {string} mark part of its command line
 */
export const isProcess = (pid, mark) => isAlive(pid) && commandOf(pid).includes(mark);

/**
 * Resolves when the process is gone, or with `false` when the time is up.
 * @param {number} pid
 * @param {number} millis
 */
export async function waitGone(pid, millis) {
  const until = performance.now() + millis;
  while (isAlive(pid)) {
    if (performance.now() > until) return false;
    await delay(POLL_MILLIS);
  }
  return true;
}

/**
 * Ends a process that is no child of this one: asks, waits, forces.
 * @param {number} pid negative: the whole group
 * @param {number} graceMillis
 */
export async function endProcess(pid, graceMillis) {
  signalProcess(pid, 'SIGTERM');
  if (await waitGone(pid, graceMillis)) return;
  signalProcess(pid, 'SIGKILL');
  await waitGone(pid, graceMillis);
}

/**
 * Sends a signal, unless there is nobody any more.
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
 * Ends a child, then what it left running in its group: asks, waits, forces.
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
  await endProcess(group, Math.min(graceMillis, LEFT_MILLIS));
}
