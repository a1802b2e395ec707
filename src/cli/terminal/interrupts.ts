import { EXIT } from './exit.ts';

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: 143, SIGPIPE: 141 } as const;

/** The reason of an abort by a signal of the system. */
export class InterruptedError extends Error {
  readonly exitCode: number;

  constructor(name: keyof typeof CODES) {
    super(`Interrupted by ${name}`);
    this.exitCode = CODES[name];
  }
}

/**
 * Returns a signal that aborts on the first Ctrl-C or SIGTERM, and when standard output is closed. What
 * is running then cleans up and ends. A second Ctrl-C ends the process at once.
 */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => controller.abort(new InterruptedError(name)));
  }
  process.stdout.on('error', () => controller.abort(new InterruptedError('SIGPIPE')));
  return controller.signal;
}
