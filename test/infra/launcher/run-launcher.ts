import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Running, run } from '../../support/processes.ts';

/** A launcher of one test, stopped at its end. */
export interface RunningLauncher extends Running {
  /** Resolves with its exit code. */
  ended(): Promise<number | null>;
}

/** The environment of a launcher, without the caller's settings. */
export const launcherEnv = (dir: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  REDIS_URL: '',
  SELVAGE_DEV_KEY: '',
  LOG_LEVEL: '',
  NO_COLOR: '1',
  SELVAGE_HOME: join(dir, 'home'),
  TMPDIR: dir,
  ...env,
});

/**
 * Runs the launcher, by default without the caller's environment.
 * @param dir for its home and temporary files
 */
export function runLauncher(
  dir: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  before: readonly string[] = [],
): RunningLauncher {
  const [command = '', ...words] = [
    ...before,
    process.execPath,
    'infra/launcher/main.mjs',
    ...args,
  ];
  const launcher = run(command, words, launcherEnv(dir, env));
  const ended = once(launcher.child, 'exit');
  onTestFinished(async () => void (await launcher.end('SIGTERM')));
  return { ...launcher, ended: () => ended.then(([code]): number | null => code) };
}
