import { setTimeout as wait } from 'node:timers/promises';
import type { Warm } from './child-protocol.ts';
import { CannotStart, type InferenceProcess } from './inference-process.ts';

/** Deaths in a row while starting, after which the first start is given up. */
const START_TRIES = 4;
const FIRST_BACKOFF_MILLIS = 100;
const MAX_BACKOFF_MILLIS = 5000;

/** The first death costs no waiting. */
const backoffMillis = (deaths: number): number =>
  deaths < 2 ? 0 : Math.min(MAX_BACKOFF_MILLIS, FIRST_BACKOFF_MILLIS * 2 ** (deaths - 2));

/** A place for one inference process; there is always one in it, or soon. */
export interface Slot {
  /** Resolves with what the first process is. Rejects where none can be started. */
  readonly warm: Promise<Warm>;
  /** Of the process that is alive, if any. */
  pids(): number[];
  close(): Promise<void>;
}

/**
 * Keeps a process alive: one that dies is replaced at once, one that dies while it starts after a wait
 * that grows.
 * @param arrives hears of each process that is warm, and what it is
 * @param leaves hears of each that was warm and died
 */
export function keepProcess(
  start: () => InferenceProcess,
  arrives: (process: InferenceProcess, warm: Warm) => void,
  leaves: (process: InferenceProcess) => void,
): Slot {
  let current: InferenceProcess | undefined;
  const closing = new AbortController();
  const { signal } = closing;

  /** One process from start to end. */
  async function live(began: (warm: Warm) => void): Promise<void> {
    current = start();
    const mine = current;
    const warm = await mine.warm;
    began(warm);
    arrives(mine, warm);
    await mine.gone;
    leaves(mine);
  }
  async function keep(resolve: (warm: Warm) => void, reject: (error: unknown) => void) {
    let began = false;
    for (let deaths = 0; !signal.aborted; ) {
      try {
        await live((warm) => {
          began = true;
          deaths = 0;
          resolve(warm);
        });
      } catch (error) {
        deaths++;
        current?.kill();
        await current?.gone;
        if (!began && (error instanceof CannotStart || deaths === START_TRIES))
          return reject(error);
        await wait(backoffMillis(deaths), undefined, { signal }).catch(() => {});
      }
    }
    reject(new Error('The engine is closed'));
  }

  let life: Promise<void> | undefined;
  const warm = new Promise<Warm>((resolve, reject) => {
    life = keep(resolve, reject);
  });
  return {
    warm,
    pids: () => (current?.pid !== undefined && current.isAlive() ? [current.pid] : []),
    async close() {
      closing.abort();
      current?.kill();
      await life;
    },
  };
}
