// @ts-check
import { constants } from 'node:os';
import { Refusal } from './start-error.mjs';

/** npm passes a Ctrl-C on that the terminal has sent already: two within this time are one. */
const SAME_SIGNAL_MILLIS = 500;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const GRACE_MILLIS = 30_000;
const FORCED_EXIT_CODE = 130;

/**
 * What is to be undone at the end, whatever ends it.
 * @typedef {object} Life
 * @property {(undo: (graceMillis: number) => Promise<void>) => void} atEnd the last one added is
 *   undone first; called again, with no grace, where the person insists; throws, and undoes at once,
 *   where the end has begun
 * @property {(code: number) => void} endsWith the exit code when a signal ends it from now on
 * @property {() => Promise<void>} end undoes everything
 * @property {() => boolean} isSignalled whether a signal is what ends it, and sets the exit code
 */

/**
 * Takes over the signals: the first ends everything in order, the second at once.
 * @param {import('./terminal.mjs').Say} say
 * @returns {Life}
 */
export function takeSignals(say) {
  /** @type {((graceMillis: number) => Promise<void>)[]} */
  const undos = [];
  /** @type {number | undefined} */
  let chosenCode;
  /** @type {number | undefined} */
  let firstAt;
  /** @type {Promise<void> | undefined} */
  let ending;

  async function undoAll() {
    for (const undo of undos.toReversed()) {
      await undo(GRACE_MILLIS).catch((error) => say.line(say.paint('red', String(error))));
    }
  }
  const end = () => {
    ending ??= undoAll();
    return ending;
  };

  /** @param {typeof SIGNALS[number]} signal */
  async function onSignal(signal) {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      await say.step('Finishing what is under way (Ctrl-C again ends it at once)', end);
      process.exit(chosenCode ?? 128 + constants.signals[signal]);
    }
    if (now - firstAt < SAME_SIGNAL_MILLIS) return;
    say.line('Ending everything at once');
    await Promise.allSettled(undos.map((undo) => undo(0)));
    process.exit(FORCED_EXIT_CODE);
  }
  for (const signal of SIGNALS) process.on(signal, () => void onSignal(signal));

  return {
    atEnd(undo) {
      undos.push(undo);
      if (!ending) return;
      void undo(0);
      throw new Refusal('Not started: everything is being ended.');
    },
    endsWith(code) {
      chosenCode = code;
    },
    end,
    isSignalled: () => firstAt !== undefined,
  };
}
