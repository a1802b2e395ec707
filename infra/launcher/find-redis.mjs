// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { findProgram, lastLines, runProgram } from './processes.mjs';
import { startRedis, useRedis } from './redis.mjs';
import { StartError } from './start-error.mjs';

const IMAGE = 'valkey/valkey:9.1.2-alpine';
const IMAGE_PORT = 6379;
const ENGINE_MILLIS = 5000;
const MAX_SHOWN_LINES = 5;

/** The command that installs Redis, by the ids in /etc/os-release. */
// biome-ignore format: a table reads best aligned
const COMMANDS = [
  { ids: ['debian', 'ubuntu'],         command: 'sudo apt-get update && sudo apt-get install -y --no-install-recommends redis-server' },
  { ids: ['fedora', 'rhel', 'centos'], command: 'sudo dnf install -y valkey' },
  { ids: ['arch'],                     command: 'sudo pacman -S --noconfirm valkey' },
  { ids: ['alpine'],                   command: 'sudo apk add redis' },
  { ids: ['suse', 'opensuse'],         command: 'sudo zypper install -y redis' },
  { ids: ['darwin'],                   command: 'brew install redis' },
];

/** @typedef {import('./redis.mjs').RedisProgram} RedisProgram */

/** With Sentinels or a cluster the URL is that of no server. */
const NO_SERVER = 'redis://127.0.0.1:6379';

/**
 * Connects to the Redis at `url`, or starts one. Sentinels and a cluster are left to the processes, which check them.
 * @param {string | undefined} url
 * @param {Omit<Parameters<typeof startRedis>[0], 'program'>} own options for starting one
 * @returns {Promise<import('./redis.mjs').RunningRedis>}
 */
export async function openRedis(url, own) {
  if (process.env.REDIS_SENTINELS || process.env.REDIS_CLUSTER)
    return { url: url || NO_SERVER, failed: new Promise(() => {}) };
  if (url) return useRedis(url, own.terminal);
  return startRedis({ program: await findRedisProgram(own.terminal), ...own });
}

/**
 * Finds a way to start Redis on this machine: an installed program, else one that apt can install (as root), else
 * a container.
 * @param {import('./terminal.mjs').Terminal} terminal
 * @returns {Promise<RedisProgram>}
 * @throws StartError with the command that installs one
 */
async function findRedisProgram(terminal) {
  const found = installed() ?? (await installWithApt(terminal)) ?? (await container(terminal));
  if (found) return found;
  throw new StartError(
    `No redis-server or valkey-server is on PATH. Run this, then start again:\n\n  ${installCommand()}\n\n` +
      'Or set REDIS_URL to an existing Redis, or start Docker.',
  );
}

/** @returns {RedisProgram | undefined} */
function installed() {
  const command = findProgram('redis-server', 'valkey-server');
  if (!command) return undefined;
  return {
    command,
    args: () => ['redis.conf'],
    listen: (port) => ({ bind: '127.0.0.1', port }),
    checkAof: (dir) => `cd "${dir}" && ${command.replace(/server$/, 'check-aof')}`,
  };
}

/** @param {import('./terminal.mjs').Terminal} terminal */
async function installWithApt(terminal) {
  const apt = findProgram('apt-get');
  if (process.getuid?.() !== 0 || !apt || !existsSync('/etc/debian_version')) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'redis-server']]) {
    if (!(await succeeds(terminal, `Installing Redis: apt-get ${args[0]}`, apt, args, env)))
      return undefined;
  }
  return installed();
}

/**
 * @param {import('./terminal.mjs').Terminal} terminal
 * @returns {Promise<RedisProgram | undefined>}
 */
async function container(terminal) {
  const docker = findProgram('docker');
  if (!docker) return undefined;
  const asked = { timeout: ENGINE_MILLIS };
  const engine = await runProgram(docker, ['version', '--format', '{{.Server.Version}}'], asked);
  if (engine.code !== 0) return undefined;
  const inspected = await runProgram(docker, ['image', 'inspect', IMAGE]);
  const pull = () => succeeds(terminal, `Fetching ${IMAGE} for Redis`, docker, ['pull', IMAGE]);
  if (inspected.code !== 0 && !(await pull())) return undefined;
  const user = `${process.getuid?.()}:${process.getgid?.()}`;
  return {
    command: docker,
    // biome-ignore format: an option and its value belong on one line
    args: (dir, port) => [
      'run', '--rm', '--name', `selvage-redis-${port}`, '--user', user,
      '--publish', `127.0.0.1:${port}:${IMAGE_PORT}`,
      '--volume', `${dir}:/data`, '--workdir', '/data',
      IMAGE, 'valkey-server', 'redis.conf',
    ],
    listen: () => ({ bind: '0.0.0.0', port: IMAGE_PORT }),
    checkAof: (dir) => `docker run --rm -it -v "${dir}:/data" -w /data ${IMAGE} valkey-check-aof`,
  };
}

/**
 * Runs a program as a step; returns false and prints its last lines if it fails.
 * @param {import('./terminal.mjs').Terminal} terminal
 * @param {string} title
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
async function succeeds(terminal, title, command, args, env = process.env) {
  try {
    await terminal.step(title, async () => {
      const { code, output } = await runProgram(command, args, { env });
      if (code !== 0) throw new StartError(lastLines(output, MAX_SHOWN_LINES).join('\n  '));
    });
    return true;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    terminal.line(`  ${error.message}`);
    return false;
  }
}

/** The install command for this system, else the page with all of them. */
function installCommand() {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const named = [...release.matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].map(([, ids]) => ids ?? '');
  const ids = [process.platform, ...named.join(' ').split(/[^a-z]+/)];
  const row = COMMANDS.find((known) => known.ids.some((id) => ids.includes(id)));
  return row?.command ?? 'see https://redis.io/docs/latest/operate/oss_and_stack/install/';
}
