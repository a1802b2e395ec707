import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ROOT } from '../support/processes.ts';

/** What a run of the command said, and how it ended. */
export interface Said {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the command as a person would; nothing of this process's own settings for it is passed on. */
export function startSelvage(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const { SELVAGE_KEY: _, SELVAGE_URL: __, SELVAGE_HOME: ___, ...rest } = process.env;
  return spawn(process.execPath, ['dist/src/cli/main.js', ...args], {
    cwd: ROOT,
    env: { ...rest, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Resolves when the command has ended and all it said was read. */
export async function ended(command: ChildProcess): Promise<Said> {
  const { stdout, stderr } = command;
  if (!stdout || !stderr) throw new Error('no pipes');
  const [said, complained, [code]] = await Promise.all([
    text(stdout),
    text(stderr),
    once(command, 'close'),
  ]);
  return { code, stdout: said, stderr: complained };
}

/** Runs the command to its end. @param input for standard input */
export function selvage(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input: Uint8Array | string = '',
): Promise<Said> {
  const command = startSelvage(args, env);
  command.stdin?.on('error', () => {}); // it may not want to hear all of it
  command.stdin?.end(input);
  return ended(command);
}

/** The values of NDJSON. Throws where a line is none. */
export const jsonLines = (said: string): Record<string, unknown>[] =>
  said
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
