// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { endChild } from './processes.mjs';
import { Refusal } from './start-error.mjs';

/** A process that dies younger than this dies of its own start. */
const QUICK_DEATH_MILLIS = 10_000;
const QUICK_DEATHS = 5;
const FIRST_PAUSE_MILLIS = 250;
const KEPT_LINES = 20;
/** After a process ended, what it still had in the pipe is read for so long. */
const LAST_WORDS_MILLIS = 500;

/**
 * @typedef {object} Supervised
 * @property {() => void} ready says that it works: from now on it is worth starting again
 * @property {(graceMillis: number) => Promise<void>} stop ends it for good
 * @property {Promise<never>} failed rejects when it is given up
 */

/**
 * Keeps a process running: one that ends by itself is started again after a pause that doubles, and
 * given up after five quick deaths, or at once where it never worked and says so by its exit code.
 * It leads a process group of its own, so that a Ctrl-C in the terminal reaches the launcher alone.
 * @param {object} what
 * @param {string} what.name
 * @param {string} what.command
 * @param {readonly string[]} what.args
 * @param {import('node:child_process').SpawnOptions} what.options
 * @param {(pid: number) => void} what.onStart
 * @param {(line: string) => void} what.onLine everything it prints, line by line
 * @param {(text: string) => void} what.onTrouble what the person in front should know
 * @returns {Supervised}
 */
export function supervise({ name, command, args, options, onStart, onLine, onTrouble }) {
  let isReady = false;
  let isStopping = false;
  let quickDeaths = 0;
  /** @type {import('node:child_process').ChildProcess} */
  let child;
  /** @type {NodeJS.Timeout | undefined} */
  let pause;
  /** @type {(fault: Error) => void} */
  let giveUp;
  /** @type {Promise<never>} */
  const failed = new Promise((_, reject) => {
    giveUp = reject;
  });
  failed.catch(() => {}); // that nobody waits yet is no fault

  function start() {
    const startedAt = performance.now();
    /** @type {string[]} */
    const lastWords = [];
    child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid) onStart(child.pid);
    const closed = once(child, 'close').catch(() => {}); // told by `error` too
    if (child.stdout) createInterface({ input: child.stdout }).on('line', onLine);
    if (child.stderr) {
      createInterface({ input: child.stderr }).on('line', (line) => {
        onLine(line);
        lastWords.splice(0, lastWords.length - KEPT_LINES + 1);
        lastWords.push(line);
      });
    }
    /**
     * @param {string} how
     * @param {boolean} bySignal
     */
    async function ended(how, bySignal) {
      await Promise.race([closed, delay(LAST_WORDS_MILLIS)]);
      if (isStopping) return;
      quickDeaths = performance.now() - startedAt < QUICK_DEATH_MILLIS ? quickDeaths + 1 : 1;
      const never = !isReady && !bySignal;
      if (never || quickDeaths === QUICK_DEATHS) {
        const times = never ? 'cannot start' : `ended ${quickDeaths} times within seconds`;
        giveUp(new Refusal([`The ${name} ${times} (${how}).`, ...lastWords].join('\n  ')));
        return;
      }
      const pauseMillis = FIRST_PAUSE_MILLIS * 2 ** (quickDeaths - 1);
      onTrouble(
        `${name} ended unexpectedly (${how}); starting it again in ${pauseMillis / 1000} s`,
      );
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
