// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { endChild } from './processes.mjs';
import { StartError } from './start-error.mjs';

const FIRST_PAUSE_MILLIS = 250;
const MAX_PAUSE_MILLIS = 30_000;
/** A process that ran for so long was all right: the next pause is the first again. */
const GOOD_RUN_MILLIS = 60_000;
/** What is shown of a process that cannot start. */
const STDERR_TAIL = { stream: 'stderr', lines: 20 };
/** How long the rest of a process's output is read after it exits. */
const DRAIN_MILLIS = 500;

/**
 * @typedef {object} Supervised
 * @property {() => void} ready marks it as working: from now on it is restarted when it exits
 * @property {(graceMillis: number) => Promise<void>} stop stops it for good
 * @property {Promise<never>} failed rejects if it exits by itself before it was ever ready
 */

/**
 * Returns the pause before a restart, ms: twice the one before, up to half a minute.
 * @param {number | undefined} lastPauseMillis
 * @param {number} ranMillis how long the process has run
 */
export const restartPauseMillis = (lastPauseMillis, ranMillis) =>
  lastPauseMillis === undefined || ranMillis >= GOOD_RUN_MILLIS
    ? FIRST_PAUSE_MILLIS
    : Math.min(2 * lastPauseMillis, MAX_PAUSE_MILLIS);

/**
 * Keeps a process running: restarts it after every unexpected exit. It fails only if it exits with a code before it
 * was ever ready: its configuration is wrong, and a restart would not help. The process leads its own process group,
 * so Ctrl-C in the terminal reaches the launcher alone.
 * @param {object} what
 * @param {string} what.name
 * @param {string} what.command
 * @param {readonly string[]} what.args
 * @param {import('node:child_process').SpawnOptions} what.options
 * @param {(pid: number) => void} what.onStart
 * @param {(line: string) => void} what.onLine receives its output, line by line
 * @param {{ stream: string, lines: number }} [what.tail] where it says why it cannot start
 * @param {(text: string) => void} what.onWarning receives what the user should know
 * @param {(millis: number, signal: AbortSignal) => Promise<void>} [what.pause] waits before a restart; rejects when the
 *   signal aborts
 * @returns {Supervised}
 */
export function supervise({
  name,
  command,
  args,
  options,
  onStart,
  onLine,
  tail = STDERR_TAIL,
  onWarning,
  pause = (millis, signal) => delay(millis, undefined, { signal }),
}) {
  let isReady = false;
  const stopping = new AbortController();
  /** @type {number | undefined} */
  let pauseMillis;
  /** @type {import('node:child_process').ChildProcess} */
  let child;
  /** @type {(error: Error) => void} */
  let fail;
  /** @type {Promise<never>} */
  const failed = new Promise((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {}); // not an unhandled rejection while nobody waits

  function start() {
    const startedAt = performance.now();
    /** @type {string[]} */
    const lastLines = [];
    child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid) onStart(child.pid);
    const closed = once(child, 'close').catch(() => {}); // reported by `error` too
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      const input = child[name];
      if (!input) continue;
      createInterface({ input }).on('line', (line) => {
        onLine(line);
        if (name !== tail.stream) return;
        lastLines.splice(0, lastLines.length - tail.lines + 1);
        lastLines.push(line);
      });
    }
    /**
     * @param {string} how
     * @param {boolean} bySignal
     */
    async function ended(how, bySignal) {
      await Promise.race([closed, delay(DRAIN_MILLIS)]);
      if (stopping.signal.aborted) return;
      if (!isReady && !bySignal) {
        fail(new StartError([`The ${name} cannot start (${how}).`, ...lastLines].join('\n  ')));
        return;
      }
      pauseMillis = restartPauseMillis(pauseMillis, performance.now() - startedAt);
      onWarning(`${name} exited unexpectedly (${how}); restarting it in ${pauseMillis / 1000} s`);
      await pause(pauseMillis, stopping.signal).then(start, () => {});
    }
    child.once('error', (error) => void ended(error.message, false));
    child.once(
      'exit',
      (code, signal) => void ended(signal ?? `exit code ${code}`, signal !== null),
    );
  }
  start();

  return {
    failed,
    ready() {
      isReady = true;
    },
    async stop(graceMillis) {
      stopping.abort();
      await endChild(child, graceMillis);
    },
  };
}
