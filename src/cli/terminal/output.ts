import { styleText } from 'node:util';

/** Exit codes; scripts rely on them. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  notAllowed: 4,
  limited: 5,
  leftOut: 6,
  interrupted: 130,
} as const;

type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_HELP = `
Exit codes:
  0    done
  1    some of the work failed; the rest is done
  2    wrong usage
  3    the server (or its Redis) cannot be reached
  4    not allowed: no key, a wrong one, or one without the scope (401, 403)
  5    a limit of the key is reached: its rate or its quota (429)
  6    all of it worked, but some pictures were left out: they are named, with the reason
  130  interrupted by Ctrl-C`;

/** An error that the user can fix; printed without a stack. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** Wrong usage of the command. */
export const usageError = (message: string): CliError => new CliError(message, EXIT.usage);

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
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => controller.abort(new InterruptedError(name)));
  process.stdout.on('error', () => controller.abort(new InterruptedError('SIGPIPE')));
  return controller.signal;
}

/** Output format: text by default, JSON with `--json`. Everything but results goes to standard error. */
export interface Output {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
}

/** Prints a result: one JSON value, or the text. */
export function print(output: Pick<Output, 'json'>, value: unknown, text: string): void {
  console.log(output.json ? JSON.stringify(value) : text);
}

/** Prints a status message to standard error, unless the output is JSON or quiet. */
export function say({ json, quiet }: Output, text: string): void {
  if (!json && !quiet) console.error(text);
}

export type Colour = 'green' | 'yellow' | 'red' | 'dim';

/** Colours text if standard output is a terminal and NO_COLOR is not set. */
export const paint = (colour: Colour, text: string): string =>
  styleText(colour, text, { stream: process.stdout });

/** Formats rows under headings; columns are as wide as their widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [headings, ...rows].map(line).join('\n');
}
