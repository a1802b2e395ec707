// @ts-check
import { join } from 'node:path';
import { openLog, readable } from './child-log.mjs';
import { ENTRIES } from './instance.mjs';
import { supervise } from './supervise.mjs';

const WATCHED = ['--watch', '--watch-preserve-output'];

/**
 * How gateway and worker are run: from source, kept running, their log lines in a file each and the
 * ones that matter on the terminal.
 * @param {object} how
 * @param {string} how.root the repository
 * @param {string} how.home
 * @param {NodeJS.ProcessEnv} how.env
 * @param {import('./instance.mjs').Claim} how.claim
 * @param {import('./signals.mjs').Life} how.life they end with it
 * @param {import('./terminal.mjs').Say} how.say
 * @param {string} how.shownLevel pino level from which a line is shown
 * @param {boolean} how.watch start again when the source changes
 * @returns {(name: 'gateway' | 'worker') => import('./supervise.mjs').Supervised}
 */
export function childRunner({ root, home, env, claim, life, say, shownLevel, watch }) {
  return (name) => {
    const log = openLog(join(home, 'logs', `${name}.log`));
    const child = supervise({
      name,
      command: process.execPath,
      args: [...(watch ? WATCHED : []), '--import', 'tsx', ENTRIES[name]],
      options: { cwd: root, env },
      onStart: (pid) => claim.note({ pids: { [name]: pid } }),
      onLine(line) {
        log.write(`${line}\n`);
        const text = readable(name, line, shownLevel, say.paint);
        if (text !== undefined) say.line(text);
      },
      onTrouble: say.warn,
    });
    life.atEnd(child.stop);
    return child;
  };
}
