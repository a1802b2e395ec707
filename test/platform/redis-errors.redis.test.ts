import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import {
  commandConnection,
  isDemoted,
  isRedisError,
  isRedisFull,
  untilReady,
} from '../../src/platform/redis.ts';
import { startRedis } from '../support/redis-server.ts';
import { useRedis } from '../support/use-redis.ts';

/** Which errors are those of Redis, as ioredis and Redis report them. */

const log = createLog('test', 'silent');
const { server, redis } = await useRedis();

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error) => error,
  );

const WRITES: readonly [string, (redis: Redis) => Promise<unknown>][] = [
  ['a command', (on) => on.set('a', 1)],
  ['a script', (on) => on.eval("return redis.call('SET', KEYS[1], 1)", 1, 'a')],
  ['a transaction', (on) => on.multi().set('a', 1).exec()],
];

test.each(WRITES)('%s that a full Redis rejects', async (_name, write) => {
  await redis.config('SET', 'maxmemory', '1');
  const error = await failureOf(write(redis));
  await redis.config('SET', 'maxmemory', '0');
  expect([isRedisError(error), isRedisFull(error)]).toEqual([true, true]);
});

test.each(WRITES)('%s that a demoted Redis rejects', async (_name, write) => {
  const demoted = await startRedis();
  const connection = commandConnection(demoted.url, log);
  await untilReady(connection, AbortSignal.timeout(10_000));
  await demoted.command('replicaof', '127.0.0.1', String(server.port));
  const error = await failureOf(write(connection));
  expect([isRedisError(error), isRedisFull(error)]).toEqual([true, false]);
  connection.disconnect();
  await demoted.stop();
});

test('an error of the command itself is none, in a transaction either', async () => {
  const errors = [
    await failureOf(redis.call('GET')),
    await failureOf(redis.multi().call('GET').exec()),
    await failureOf(redis.eval('error("no")', 0)),
  ];
  expect(errors.map(isRedisError)).toEqual([false, false, false]);
});

test.each([
  ['-OOM command not allowed', true],
  ['-MISCONF Errors writing to the AOF file', true],
  ["-READONLY You can't write against a read only replica.", true],
  ['Wrong number of args', false],
])('a script of Redis 6 that ends with "%s": %s', (message, isOurs) => {
  const wrapped = `ERR Error running script (call to f_1): @user_script:1: @user_script: 1: ${message}`;
  expect(isRedisError(new Error(wrapped))).toBe(isOurs);
});

test.each([
  ['UNBLOCKED force unblock from blocking operation, instance state changed', true],
  ['LOADING Redis is loading the dataset in memory', true],
  ['MASTERDOWN Link with MASTER is down', true],
  ['NOREPLICAS Not enough good replicas to write.', false],
  ['CLUSTERDOWN The cluster is down', false],
  ['TRYAGAIN Multiple keys request during rehashing of slot', false],
  ['NOAUTH Authentication required.', false],
  ['WRONGPASS invalid username-password pair or user is disabled.', false],
  ["NOPERM this user has no permissions to run the 'set' command", false],
  ['ERR max number of clients reached', false],
])('%s is of Redis; it leads to another connection: %s', (message, leads) => {
  const error = new Error(message);
  expect([isRedisError(error), isDemoted(error)]).toEqual([true, leads]);
});

/** What ioredis throws at a mistake of the program, or of the settings at a start. */
const MISTAKES =
  /subscriber mode|monitoring mode|Invalid|same slot|slots allocation|exec\(\)|already connecting|Requires|startupNodes|is not implemented|Unknown RESP|HIMPORT|CROSSSLOT|replyMapping|cannot be restarted|^timeout$|^c$|^$/i;

test('every error of the client is known', () => {
  const root = 'node_modules/ioredis/built';
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => [
      ...readFileSync(join(root, name), 'utf8').matchAll(
        /new (?:\w+\.)?(?:Abort|Redis)?Error\((["'`])(.*?)\1/g,
      ),
    ])
    .map(([, , text = '']) => text);
  expect(texts.length).toBeGreaterThan(20);
  const unknown = texts.filter((text) => !MISTAKES.test(text) && !isRedisError(new Error(text)));
  expect([...new Set(unknown)]).toEqual([]);
});
