// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRedis } from './find-redis.mjs';
import { installPackages } from './install.mjs';
import { endChild } from './processes.mjs';
import { StartError } from './start-error.mjs';

/**
 * Runs a command with REDIS_URL set to a new, empty Redis (or to the one REDIS_URL already names) and SELVAGE_HOME
 * to a temporary folder. Stops the rest of its process group when it exits.
 * @param {object} options
 * @param {string} options.root the repository
 * @param {import('./terminal.mjs').Terminal} options.terminal
 * @param {import('./signals.mjs').Shutdown} options.shutdown
 * @param {readonly string[]} options.command
 * @returns {Promise<number>} its exit code
 */
export async function withRedis({ root, terminal, shutdown, command: [program = '', ...args] }) {
  await installPackages(root, terminal);

  const home = await mkdtemp(join(tmpdir(), 'selvage-'));
  await chmod(home, 0o711); // a command may run programs as another user
  shutdown.onShutdown(() => rm(home, { recursive: true, force: true }));
  const redis = await openRedis(process.env.REDIS_URL, {
    dir: join(home, 'redis'),
    shutdown,
    terminal,
  });

  const env = {
    ...process.env,
    REDIS_URL: redis.url,
    SELVAGE_HOME: join(home, 'home'),
    TMPDIR: home, // an interrupted command leaves nothing behind either
  };
  const child = spawn(program, args, { env, stdio: 'inherit', detached: true });
  shutdown.onShutdown((graceMillis) => endChild(child, graceMillis, 'SIGINT'));
  const [code, signal] = await once(child, 'exit').catch((error) => {
    throw new StartError(`${program} cannot be run: ${error.message}`);
  });
  return code ?? 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal)];
}
