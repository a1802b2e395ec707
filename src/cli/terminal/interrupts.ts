import { EXIT } from './exit.ts';

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: 143, SIGPIPE: 141 } as const;

/** Why work ends that a signal ended. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(name: keyof typeof CODES) {
    super(`Interrupted by ${name}`);
    this.exitCode = CODES[name];
  }
}

/**
 * A signal that aborts on the first Ctrl-C or SIGTERM, and when nobody reads the answers any more; what is
 * under way ends and tidies up. A second Ctrl-C ends the process at once.
 */
export function heedInterrupts(): AbortSignal {
  const control = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => control.abort(new Interrupted(name)));
  }
  process.stdout.on('error', () => control.abort(new Interrupted('SIGPIPE')));
  return control.signal;
}
