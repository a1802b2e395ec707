// @ts-check
import { constants } from 'node:os';
import { StartError } from './start-error.mjs';

/** npm forwards a Ctrl-C that the terminal has already delivered: two within this time count as one. */
const DUPLICATE_SIGNAL_MILLIS = 500;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const GRACE_MILLIS = 30_000;
const FORCED_EXIT_CODE = 130;

/**
 * The cleanups to run on exit, for whatever reason.
 * @typedef {object} Shutdown
 * @property {(undo: (graceMillis: number) => Promise<void>) => void} onShutdown registers a
 *   cleanup; the last one registered runs first. A second Ctrl-C calls it again with no grace period. During
 *   shutdown, runs the cleanup at once and throws
 * @property {(code: number) => void} exitWith sets the exit code for an exit by signal
 * @property {() => Promise<void>} end runs every cleanup
 * @property {() => boolean} isSignalled whether a signal caused the exit; its handler then sets the exit code
 */

/**
 * Handles SIGINT, SIGTERM and SIGHUP: the first shuts down in order, the second at once.
 * @param {import('./terminal.mjs').Terminal} terminal
 * @returns {Shutdown}
 */
export function handleSignals(terminal) {
  /** @type {((graceMillis: number) => Promise<void>)[]} */
  const undos = [];
  /** @type {number | undefined} */
  let chosenCode;
  /** @type {number | undefined} */
  let firstAt;
  /** @type {Promise<void> | undefined} */
  let ending;

  async function runCleanups() {
    for (const undo of undos.toReversed()) {
      await undo(GRACE_MILLIS).catch((error) =>
        terminal.line(terminal.paint('red', String(error))),
      );
    }
  }
  const end = () => {
    ending ??= runCleanups();
    return ending;
  };

  /** @param {typeof SIGNALS[number]} signal */
  async function onSignal(signal) {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      await terminal.step('Finishing open work (press Ctrl-C again to stop at once)', end);
      process.exit(chosenCode ?? 128 + constants.signals[signal]);
    }
    if (now - firstAt < DUPLICATE_SIGNAL_MILLIS) return;
    terminal.line('Stopping everything at once');
    await Promise.allSettled(undos.map((undo) => undo(0)));
    process.exit(FORCED_EXIT_CODE);
  }
  for (const signal of SIGNALS) process.on(signal, () => void onSignal(signal));

  return {
    onShutdown(undo) {
      undos.push(undo);
      if (!ending) return;
      void undo(0);
      throw new StartError('Not started: shutting down.');
    },
    exitWith(code) {
      chosenCode = code;
    },
    end,
    isSignalled: () => firstAt !== undefined,
  };
}
