// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where the append-only files are, from Redis 7 on and before. */
const APPEND_ONLY = ['appendonlydir/appendonly.aof.manifest', 'appendonly.aof'];
const IS_DAMAGE = /append.only|\bAOF\b|\bRDB\b/i;

/**
 * Returns what to do about a Redis that cannot start, by what it said last.
 * @param {string} said
 * @param {string} dir its data
 * @param {import('./redis.mjs').RedisProgram['checkAof']} checkAof
 */
export function redisAdvice(said, dir, checkAof) {
  const file = APPEND_ONLY.find((name) => existsSync(join(dir, name)));
  const log = `Its log is ${join(dir, 'redis.log')}.`;
  if (!file || !IS_DAMAGE.test(said)) return log;
  return `${log}
Its data is damaged. Copy it, then cut off what cannot be read, and start again:

  cp -a "${dir}" "${dir}.damaged"
  ${checkAof(dir)} --fix "${file}"

If that does not help: restore ${dir} from a backup, or move it away, start, and run "npm run recover", which
brings back all but API keys.`;
}
