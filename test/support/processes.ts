import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from './root.ts';

/** A child process with its output. */
export interface Running {
  child: ChildProcess;
  pid: number;
  /** Everything written to stdout and stderr so far. */
  output(): string;
  /** Resolves with the first line, past or future, that `isWanted` accepts; rejects when the process ends without it. */
  line(isWanted: (line: string) => boolean): Promise<string>;
  /** Resolves with the exit code when the process ends; null after a signal. */
  exited: Promise<number | null>;
  /** Ends the process with a signal and waits for its exit. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Hooks do not run in a file whose tests are all left out: what was started ends with the run in any case. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
process.once('SIGTERM', () => process.exit(143));

/** Starts a program and records its output. It ends with the tests, at the latest. */
export function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Running {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const lines: string[] = [];
  const listeners = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      for (const listener of listeners) listener(line);
    });
  }
  // `close` is emitted when the last line was read; `exit` may be emitted before.
  const exited = once(child, 'close').then(([code]: unknown[]) =>
    typeof code === 'number' ? code : null,
  );
  return {
    child,
    pid: child.pid ?? -1,
    exited,
    output: () => lines.join('\n'),
    line: (isWanted) =>
      new Promise((resolve, reject) => {
        const past = lines.find(isWanted);
        if (past !== undefined) return resolve(past);
        const listener = (line: string) => {
          if (!isWanted(line)) return;
          listeners.delete(listener);
          resolve(line);
        };
        listeners.add(listener);
        exited.then(() => reject(new Error(`${command} ended:\n${lines.join('\n')}`)), reject);
      }),
    async end(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await exited;
      }
      return child.exitCode;
    },
  };
}

/** The output of `test/support/compile-all.ts`: starting from source takes twice the CPU time. */
const COMPILED = /^(src|workers)\/.*\.ts$/;

/** Starts a program from its build if it is part of the package, else from source. */
export const runProgram = (
  file: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Running =>
  COMPILED.test(file)
    ? run(process.execPath, [join('dist', file.replace(/ts$/, 'js')), ...args], env)
    : run(process.execPath, ['--import', 'tsx', file, ...args], env);
