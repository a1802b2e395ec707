// @ts-check
import { join } from 'node:path';
import { readable } from './child-log.mjs';
import { compiledFile } from './compile.mjs';
import { openLog } from './log-file.mjs';
import { supervise } from './supervise.mjs';

/** Settings that only the gateway gets: a worker opens strangers' images and needs none of them. */
const GATEWAY_SECRETS = ['KEY_PEPPER', 'LOOK_SIGNING_KEYS', 'SELVAGE_DEV_KEY'];

const PROGRAMS = { gateway: 'src/main.ts', worker: 'workers/main.ts' };

/** From source, and again when it changes. */
const WATCHED = ['--watch', '--watch-preserve-output', '--import', 'tsx'];

/**
 * Returns a function that runs gateway or worker and keeps it running. Its log goes to a file, the
 * important lines to the terminal too.
 * @param {object} how
 * @param {string} how.root the repository
 * @param {string} how.home
 * @param {NodeJS.ProcessEnv} how.env
 * @param {import('./instance.mjs').Claim} how.claim
 * @param {import('./signals.mjs').Shutdown} how.shutdown stops them
 * @param {import('./terminal.mjs').Terminal} how.terminal
 * @param {string} how.shownLevel pino level from which a line is shown
 * @param {boolean} how.watch restart when the source changes
 * @returns {(name: 'gateway' | 'worker') => Promise<import('./supervise.mjs').Supervised>}
 */
export function childRunner({ root, home, env, claim, shutdown, terminal, shownLevel, watch }) {
  const workerEnv = Object.fromEntries(
    Object.entries(env).filter(([setting]) => !GATEWAY_SECRETS.includes(setting)),
  );
  return async (name) => {
    const log = await openLog(join(home, 'logs', `${name}.log`), terminal.warn);
    const child = supervise({
      name,
      command: process.execPath,
      args: watch ? [...WATCHED, PROGRAMS[name]] : [compiledFile(PROGRAMS[name])],
      options: { cwd: root, env: name === 'worker' ? workerEnv : env },
      onStart: (pid) => claim.note({ pids: { [name]: pid } }),
      onLine(line) {
        log.write(line);
        const text = readable(name, line, shownLevel, terminal.paint);
        if (text !== undefined) terminal.line(text);
      },
      onWarning: terminal.warn,
    });
    shutdown.onShutdown((graceMillis) => child.stop(graceMillis).finally(() => log.close()));
    return child;
  };
}
