// @ts-check
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openLog } from './child-log.mjs';
import { freePort } from './ports.mjs';
import { askRedis, redisVersion } from './resp.mjs';
import { Refusal } from './start-error.mjs';
import { supervise } from './supervise.mjs';

const OLDEST = [5, 0];
const ADVISED = [6, 2];
const POLL_MILLIS = 20;
const SHUTDOWN_MILLIS = 10_000;
/** Even in a hurry Redis may write down what it holds. */
const FLUSH_MILLIS = 2_000;
const CONF = 'redis.conf';

/**
 * How a Redis is started here: a program of this machine, or a container.
 * @typedef {object} RedisProgram
 * @property {string} command
 * @property {(dir: string, port: number) => string[]} args for a `redis.conf` in `dir`, answering at `port`
 * @property {(port: number) => { bind: string, port: number }} listen what that `redis.conf` must say
 */

/**
 * @typedef {object} RunningRedis
 * @property {string} url
 * @property {Promise<never>} failed rejects when it is given up
 */

/**
 * The settings of a Redis that may be relied on: every write on disk within a second, nothing thrown
 * away when memory is short. It answers this machine alone, and only who can read this file, which
 * also says, in its first line, where it is to be found.
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
 * Starts a Redis that keeps its data in `dir`, on a free port of the loopback interface, and waits
 * until it answers. One that an earlier, killed launcher left running there is stopped first.
 * @param {object} how
 * @param {RedisProgram} how.program
 * @param {string} how.dir
 * @param {import('./signals.mjs').Life} how.life it ends with it
 * @param {import('./terminal.mjs').Say} how.say
 * @param {(pid: number) => void} [how.onStart]
 * @returns {Promise<RunningRedis>}
 */
export async function startRedis({ program, dir, life, say, onStart = () => {} }) {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await stopLeftover(dir);
  const port = await freePort();
  const url = `redis://:${randomBytes(24).toString('hex')}@127.0.0.1:${port}`;
  await writeFile(join(dir, CONF), settings(url, program.listen(port)), { mode: 0o600 });
  const log = openLog(join(dir, 'redis.log'));
  const redis = supervise({
    name: 'Redis',
    command: program.command,
    args: program.args(dir, port),
    options: { cwd: dir },
    onStart,
    onLine: (line) => log.write(`${line}\n`),
    onTrouble: say.warn,
  });
  life.atEnd((graceMillis) => redis.stop(Math.max(graceMillis, FLUSH_MILLIS)));
  const waiting = new AbortController();
  await Promise.race([untilAnswers(url, waiting.signal), redis.failed]).finally(() =>
    waiting.abort(),
  );
  await checkVersion(url, say);
  redis.ready();
  return { url, failed: redis.failed };
}

/**
 * The Redis that the person named.
 * @param {string} url
 * @param {import('./terminal.mjs').Say} say
 * @returns {Promise<RunningRedis>}
 */
export async function useRedis(url, say) {
  try {
    const { protocol } = new URL(url);
    if (!['redis:', 'rediss:'].includes(protocol)) throw new Error(`${protocol}// is not redis://`);
    await askRedis(url, ['PING']);
  } catch (error) {
    const { host } = URL.canParse(url) ? new URL(url) : { host: 'that address' };
    throw new Refusal(
      `REDIS_URL is set, but no Redis answers PING at ${host} (${reason(error)}).\n` +
        'Start that Redis, or unset REDIS_URL to have one started here.',
    );
  }
  await checkVersion(url, say);
  return { url, failed: new Promise(() => {}) };
}

/** @param {unknown} error */
const reason = (error) =>
  error instanceof Error ? ('code' in error ? String(error.code) : error.message) : String(error);

/** @param {string} url */
const answers = (url) =>
  askRedis(url, ['PING']).then(
    () => true,
    () => false, // not there, or still reading its data in
  );

/**
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function untilAnswers(url, signal) {
  while (!signal.aborted && !(await answers(url))) await delay(POLL_MILLIS);
}

/**
 * @param {string} url
 * @param {import('./terminal.mjs').Say} say
 */
async function checkVersion(url, say) {
  const version = await redisVersion(url);
  const parts = version.split('.').map(Number);
  /** @param {number[]} bound */
  const isOlder = ([major = 0, minor = 0]) =>
    (parts[0] ?? 0) < major || (parts[0] === major && (parts[1] ?? 0) < minor);
  if (isOlder(OLDEST)) {
    throw new Refusal(`This Redis is version ${version}; ${OLDEST.join('.')} or newer is needed.`);
  }
  if (isOlder(ADVISED)) say.warn(`Redis ${version} works; ${ADVISED.join('.')} is advised`);
}

/** @param {string} dir */
async function stopLeftover(dir) {
  const conf = await readFile(join(dir, CONF), 'utf8').catch(() => '');
  const url = /^# (redis:\S+)$/m.exec(conf)?.[1];
  if (!url || !(await answers(url))) return; // only ours knows the password
  await askRedis(url, ['SHUTDOWN']).catch(() => {}); // it answers by closing the connection
  const until = performance.now() + SHUTDOWN_MILLIS;
  while (performance.now() < until && (await answers(url))) await delay(POLL_MILLIS);
}
