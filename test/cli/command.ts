import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ROOT } from '../support/root.ts';

/** The output and exit code of a run of the command. */
export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the command as a user would, without this process's own settings for it. */
export function startSelvage(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const { SELVAGE_KEY: _, SELVAGE_URL: __, SELVAGE_HOME: ___, ...rest } = process.env;
  return spawn(process.execPath, ['dist/src/cli/main.js', ...args], {
    cwd: ROOT,
    env: { ...rest, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Resolves when the command has exited and its output was read. */
export async function waitForExit(command: ChildProcess): Promise<CommandResult> {
  const { stdout, stderr } = command;
  if (!stdout || !stderr) throw new Error('no pipes');
  const [output, errors, [code]] = await Promise.all([
    text(stdout),
    text(stderr),
    once(command, 'close'),
  ]);
  return { code, stdout: output, stderr: errors };
}

/** Runs the command until it exits. @param input for standard input */
export function selvage(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input: Uint8Array | string = '',
): Promise<CommandResult> {
  const command = startSelvage(args, env);
  command.stdin?.on('error', () => {}); // it may exit before it has read everything
  command.stdin?.end(input);
  return waitForExit(command);
}

/** Parses NDJSON. Throws if a line is not JSON. */
export const parseJsonLines = (output: string): Record<string, unknown>[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
