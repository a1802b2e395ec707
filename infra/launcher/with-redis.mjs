// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { namedOrOwnRedis } from './find-redis.mjs';
import { installPackages } from './install.mjs';
import { endChild } from './processes.mjs';
import { Refusal } from './start-error.mjs';

/**
 * Runs a command with REDIS_URL naming an empty Redis of its own (or the one REDIS_URL names
 * already) and SELVAGE_HOME a folder that is gone afterwards. What the command leaves running in its
 * process group ends with it.
 * @param {object} options
 * @param {string} options.root the repository
 * @param {import('./terminal.mjs').Say} options.say
 * @param {import('./signals.mjs').Life} options.life
 * @param {readonly string[]} options.command
 * @returns {Promise<number>} its exit code
 */
export async function withRedis({ root, say, life, command: [program = '', ...args] }) {
  await installPackages(root, say);

  const home = await mkdtemp(join(tmpdir(), 'selvage-'));
  life.atEnd(() => rm(home, { recursive: true, force: true }));
  const redis = await namedOrOwnRedis(process.env.REDIS_URL, {
    dir: join(home, 'redis'),
    life,
    say,
  });

  const env = {
    ...process.env,
    REDIS_URL: redis.url,
    SELVAGE_HOME: join(home, 'home'),
    TMPDIR: home, // so that what is cut short leaves nothing behind either
  };
  const child = spawn(program, args, { env, stdio: 'inherit', detached: true });
  life.atEnd((graceMillis) => endChild(child, graceMillis, 'SIGINT'));
  const [code, signal] = await once(child, 'exit').catch((error) => {
    throw new Refusal(`${program} cannot be run: ${error.message}`);
  });
  return code ?? 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal)];
}
