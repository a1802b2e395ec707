// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { endChild } from './processes.mjs';
import { StartError } from './start-error.mjs';

/** An exit before this is an early exit: the process failed to start. */
const EARLY_EXIT_MILLIS = 10_000;
const MAX_EARLY_EXITS = 5;
const FIRST_PAUSE_MILLIS = 250;
const TAIL_LINES = 20;
/** How long the rest of a process's output is read after it exits. */
const DRAIN_MILLIS = 500;

/**
 * @typedef {object} Supervised
 * @property {() => void} ready marks it as working: from now on it is restarted when it exits
 * @property {(graceMillis: number) => Promise<void>} stop stops it for good
 * @property {Promise<never>} failed rejects when it keeps failing
 */

/**
 * Keeps a process running: restarts it after an unexpected exit, with a pause that doubles. Fails after five early
 * exits, or at once if it exits with a code before it was ever ready. The process leads its own process group, so
 * Ctrl-C in the terminal reaches the launcher alone.
 * @param {object} what
 * @param {string} what.name
 * @param {string} what.command
 * @param {readonly string[]} what.args
 * @param {import('node:child_process').SpawnOptions} what.options
 * @param {(pid: number) => void} what.onStart
 * @param {(line: string) => void} what.onLine receives its output, line by line
 * @param {(text: string) => void} what.onWarning receives what the user should know
 * @returns {Supervised}
 */
export function supervise({ name, command, args, options, onStart, onLine, onWarning }) {
  let isReady = false;
  let isStopping = false;
  let earlyExits = 0;
  /** @type {import('node:child_process').ChildProcess} */
  let child;
  /** @type {NodeJS.Timeout | undefined} */
  let pause;
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
    const stderrTail = [];
    child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid) onStart(child.pid);
    const closed = once(child, 'close').catch(() => {}); // reported by `error` too
    if (child.stdout) createInterface({ input: child.stdout }).on('line', onLine);
    if (child.stderr) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        onLine(line);
        stderrTail.splice(0, stderrTail.length - TAIL_LINES + 1);
        stderrTail.push(line);
      });
    }
    /**
     * @param {string} how
     * @param {boolean} bySignal
     */
    async function ended(how, bySignal) {
      await Promise.race([closed, delay(DRAIN_MILLIS)]);
      if (isStopping) return;
      earlyExits = performance.now() - startedAt < EARLY_EXIT_MILLIS ? earlyExits + 1 : 1;
      const never = !isReady && !bySignal;
      if (never || earlyExits === MAX_EARLY_EXITS) {
        const times = never ? 'cannot start' : `exited ${earlyExits} times within seconds`;
        fail(new StartError([`The ${name} ${times} (${how}).`, ...stderrTail].join('\n  ')));
        return;
      }
      const pauseMillis = FIRST_PAUSE_MILLIS * 2 ** (earlyExits - 1);
      onWarning(`${name} exited unexpectedly (${how}); restarting it in ${pauseMillis / 1000} s`);
      pause = setTimeout(start, pauseMillis);
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
      isStopping = true;
      clearTimeout(pause);
      await endChild(child, graceMillis);
    },
  };
}
