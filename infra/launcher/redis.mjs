// @ts-check
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openLog } from './log-file.mjs';
import { freePort } from './ports.mjs';
import { redisAdvice } from './redis-failure.mjs';
import { redisVersion, sendCommand } from './resp.mjs';
import { StartError } from './start-error.mjs';
import { supervise } from './supervise.mjs';
import { writeWhole } from './whole-file.mjs';

const MIN_VERSION = [5, 0];
const RECOMMENDED_VERSION = [6, 2];
const POLL_MILLIS = 20;
const SHUTDOWN_MILLIS = 10_000;
/** Even on a forced exit, Redis gets this long to flush its data. */
const FLUSH_MILLIS = 2_000;
const CONF = 'redis.conf';
/** Redis logs to standard output. */
const LOG_TAIL = { stream: 'stdout', lines: 5 };

/**
 * How Redis is started on this machine: an installed program, or a container.
 * @typedef {object} RedisProgram
 * @property {string} command
 * @property {(dir: string, port: number) => string[]} args for a `redis.conf` in `dir`, answering at `port`
 * @property {(dir: string) => string} checkAof the shell's command that checks an append-only file of `dir`
 * @property {(port: number) => { bind: string, port: number }} listen the address that `redis.conf` must contain
 */

/**
 * @typedef {object} RunningRedis
 * @property {string} url
 * @property {Promise<never>} failed rejects if it cannot start
 */

/**
 * Durable settings: every write is on disk within a second, and nothing is evicted. It listens on loopback with a
 * password that only readers of this file know; the first line holds its URL.
 * @param {string} url
 * @param {{ bind: string, port: number }} listen
 */
const settings = (url, { bind, port }) => `# ${url}
bind ${bind}
port ${port}
requirepass ${new URL(url).password}
appendonly yes
appendfsync everysec
maxmemory-policy noeviction
save ""
`;

/**
 * Starts a Redis with its data in `dir`, on a free loopback port, and waits until it responds. First stops one that
 * a killed launcher left running there.
 * @param {object} how
 * @param {RedisProgram} how.program
 * @param {string} how.dir
 * @param {import('./signals.mjs').Shutdown} how.shutdown stops it
 * @param {import('./terminal.mjs').Terminal} how.terminal
 * @param {(pid: number) => void} [how.onStart]
 * @returns {Promise<RunningRedis>}
 */
export async function startRedis({ program, dir, shutdown, terminal, onStart = () => {} }) {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await stopOrphan(dir);
  const port = await freePort();
  const url = `redis://:${randomBytes(24).toString('hex')}@127.0.0.1:${port}`;
  writeWhole(join(dir, CONF), settings(url, program.listen(port)));
  const log = await openLog(join(dir, 'redis.log'), terminal.warn);
  const redis = supervise({
    name: 'Redis',
    command: program.command,
    args: program.args(dir, port),
    options: { cwd: dir },
    onStart,
    onLine: (line) => log.write(line),
    tail: LOG_TAIL,
    onWarning: terminal.warn,
  });
  shutdown.onShutdown((graceMillis) =>
    redis.stop(Math.max(graceMillis, FLUSH_MILLIS)).finally(() => log.close()),
  );
  const waiting = new AbortController();
  await Promise.race([untilResponding(url, waiting.signal), redis.failed])
    .catch((error) => {
      const advice = redisAdvice(error.message, dir, program.checkAof);
      throw new StartError(`${error.message}\n${advice}`, { cause: error });
    })
    .finally(() => waiting.abort());
  await checkVersion(url, terminal);
  redis.ready();
  return { url, failed: redis.failed };
}

/**
 * Checks the Redis that the user configured.
 * @param {string} url
 * @param {import('./terminal.mjs').Terminal} terminal
 * @returns {Promise<RunningRedis>}
 */
export async function useRedis(url, terminal) {
  try {
    const { protocol } = new URL(url);
    if (!['redis:', 'rediss:'].includes(protocol)) throw new Error(`${protocol}// is not redis://`);
    await sendCommand(url, ['PING']);
  } catch (error) {
    const { host } = URL.canParse(url) ? new URL(url) : { host: 'that address' };
    throw new StartError(
      `REDIS_URL is set, but no Redis answers PING at ${host} (${reason(error)}).\n` +
        'Start it, or unset REDIS_URL to have one started.',
    );
  }
  await checkVersion(url, terminal);
  return { url, failed: new Promise(() => {}) };
}

/** @param {unknown} error */
const reason = (error) =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.message) : String(error);

/** @param {string} url */
const answers = (url) =>
  sendCommand(url, ['PING']).then(
    () => true,
    () => false, // not running, or still loading its data
  );

/**
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function untilResponding(url, signal) {
  while (!signal.aborted && !(await answers(url))) await delay(POLL_MILLIS);
}

/**
 * @param {string} url
 * @param {import('./terminal.mjs').Terminal} terminal
 */
async function checkVersion(url, terminal) {
  const version = await redisVersion(url);
  const numbers = version.split('.').map(Number);
  /** @param {number[]} bound */
  const isOlder = ([major = 0, minor = 0]) =>
    (numbers[0] ?? 0) < major || (numbers[0] === major && (numbers[1] ?? 0) < minor);
  if (isOlder(MIN_VERSION)) {
    throw new StartError(
      `This Redis is version ${version}; ${MIN_VERSION.join('.')} or newer is required.`,
    );
  }
  if (isOlder(RECOMMENDED_VERSION))
    terminal.warn(`Redis ${version} works; ${RECOMMENDED_VERSION.join('.')} is recommended`);
}

/** @param {string} dir */
async function stopOrphan(dir) {
  const conf = await readFile(join(dir, CONF), 'utf8').catch(() => '');
  const url = /^# (redis:\S+)$/m.exec(conf)?.[1];
  if (!url || !(await answers(url))) return; // the password identifies ours
  await sendCommand(url, ['SHUTDOWN']).catch(() => {}); // it closes the connection instead of replying
  const until = performance.now() + SHUTDOWN_MILLIS;
  while (performance.now() < until && (await answers(url))) await delay(POLL_MILLIS);
}
