import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import type { RedisSettings } from '../../src/platform/redis.ts';
import { checkRedis, connectRedis } from '../../src/platform/redis-check.ts';
import { freePort, listen } from '../support/free-port.ts';
import { runProgram } from '../support/processes.ts';
import { startCluster, startSentinels, startTls } from '../support/redis-forms.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

/** Returns why a process does not start, or what it warns of. */
async function complaint(settings: RedisSettings, withinMillis = 20_000): Promise<string> {
  const warnings: string[] = [];
  const log = createLog('test', 'silent');
  log.warn = (...args: unknown[]) => void warnings.push(String(args.at(-1)));
  try {
    const redis = await connectRedis(settings, log, withinMillis);
    warnings.length = 0;
    await checkRedis(redis, settings, log).finally(() => redis.disconnect());
    return warnings.join('\n');
  } catch (error) {
    return (error as Error).message;
  }
}

let redis: RedisServer;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  for (const close of closing) await close();
  await redis.stop();
});

/** Creates a user with these rules; returns a URL with it. */
async function urlOf(user: string, ...rules: string[]): Promise<string> {
  await redis.command('acl', 'setuser', user, 'reset', 'on', '>hush-hush', ...rules);
  return `redis://${user}:hush-hush@127.0.0.1:${redis.port}`;
}

/** A proxy in front of a Redis that says it is of another version, as long as the real one. */
async function older(version: string): Promise<string> {
  const real = /^redis_version:(\S+)/m.exec(String(await redis.command('info')))?.[1] ?? '';
  const claimed = version.padEnd(real.length, '0').slice(0, real.length);
  const server = createServer((client) => {
    const upstream = connect(redis.port, '127.0.0.1');
    client.on('data', (bytes) => upstream.write(bytes)).on('close', () => upstream.destroy());
    upstream.on('data', (bytes) => {
      const said = bytes
        .toString('latin1')
        .replace(`redis_version:${real}`, `redis_version:${claimed}`);
      client.write(said, 'latin1');
    });
  });
  const port = await listen(server);
  closing.push(async () => void server.close());
  return `redis://127.0.0.1:${port}`;
}

describe('a Redis that cannot be used is named in one line, with what to do', () => {
  test.each([
    [
      'without Lua',
      ['~{selvage}*', '&{selvage}*', '+@all', '-@scripting', '+info'],
      /'eval'.*\+@all/,
    ],
    ['without channels', ['~{selvage}*', '+@all', '-@dangerous', '+info'], /channel.*&\{selvage\}/],
    ['without keys', ['&{selvage}*', '+@all', '-@dangerous', '+info'], /key.*~\{selvage\}/],
    ['that may only read', ['~*', '&*', '+@read', '+@connection', '+info'], /'set'/],
  ])('a user %s', async (name, rules, told) => {
    const url = await urlOf(name.replaceAll(' ', '-'), ...rules);
    const said = await complaint({ REDIS_URL: url });
    expect(said).toMatch(told);
    expect(said).not.toMatch(/\n|hush-hush/);
  });

  test('a wrong password', async () => {
    const url = `redis://nobody:wrong-one@127.0.0.1:${redis.port}`;
    const said = await complaint({ REDIS_URL: url });
    expect(said).toMatch(/WRONGPASS.*Check user and password of REDIS_URL/);
    expect(said).not.toContain('wrong-one');
  });

  test('a version that is too old', async () => {
    const said = await complaint({ REDIS_URL: await older('4.0.14') });
    expect(said).toMatch(/it is version 4\.0\.\d+, older than 5/);
  });

  test('a replica', async () => {
    const replica = await startRedis('--replicaof', '127.0.0.1', String(redis.port));
    closing.push(replica.stop);
    expect(await complaint({ REDIS_URL: replica.url }, 1000)).toMatch(/is a replica/);
  });

  test('one that is not there', async () => {
    const said = await complaint({ REDIS_URL: `redis://:hush@127.0.0.1:${await freePort()}` }, 500);
    expect(said).toMatch(/^Redis at 127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/);
  });

  test('a certificate of an authority that is not known', async () => {
    const { settings, stop } = await startTls();
    closing.push(stop);
    const said = await complaint({ REDIS_URL: String(settings.REDIS_URL) });
    expect(said).toMatch(/certificate.*Set REDIS_CA_FILE/);
    const missing = { REDIS_URL: String(settings.REDIS_URL), REDIS_CA_FILE: '/none.pem' };
    expect(await complaint(missing)).toMatch(/^REDIS_CA_FILE cannot be read: ENOENT/);
  });
});

/** Runs a gateway that cannot start; resolves with what it prints that is no log line. */
async function lastWords(file: string, env: NodeJS.ProcessEnv): Promise<string> {
  const program = runProgram(file, [], { REDIS_URL: '', PORT: '0', WORKER_PORT: '0', ...env });
  expect(await program.exited).toBe(1);
  return program
    .output()
    .replaceAll(/^\{.*\}\n?/gm, '')
    .trim();
}

const FILES = ['src/main.ts', 'workers/main.ts'];
test.each(FILES)('%s ends with one line if a Sentinel knows no such master', async (file) => {
  const { settings, stop } = await startSentinels();
  closing.push(stop);
  const said = await lastWords(file, { ...settings, REDIS_SENTINEL_NAME: 'trousers' });
  expect(said).toMatch(/^Redis at trousers by the Sentinels .* set REDIS_SENTINEL_NAME\.$/);
  const wrong = await lastWords(file, { ...settings, REDIS_SENTINEL_PASSWORD: 'wrong' });
  expect(wrong).toMatch(/^Redis at garments by the Sentinels .* Set REDIS_SENTINEL_PASSWORD\.$/);
});

test('a gateway that meets a cluster unawares, or none, says which setting is missing', async () => {
  const { settings, stop } = await startCluster();
  closing.push(stop);
  const outcomes = String(settings.REDIS_CLUSTER)
    .split(',')
    .slice(0, 3)
    .map((node) => {
      const url = new URL(String(settings.REDIS_URL));
      url.host = node;
      return complaint({ REDIS_URL: url.href });
    });
  const said = await Promise.all(outcomes);
  expect(
    said.filter((line) => /^Redis at \S+ cannot be used: MOVED .*set REDIS_CLUSTER/.test(line)),
  ).toHaveLength(2);
  expect(said.filter((line) => /is a cluster: set REDIS_CLUSTER/.test(line))).toHaveLength(1);
  const none = await lastWords('src/main.ts', { REDIS_CLUSTER: `127.0.0.1:${redis.port}` });
  expect(none).toMatch(/It is no Redis Cluster: unset REDIS_CLUSTER\.$/);
});

test('a Redis that hides CONFIG, or INFO, is used; what is not known is said', async () => {
  const most = ['~{selvage}*', '&{selvage}*', '+@all', '-@dangerous'];
  expect(await complaint({ REDIS_URL: await urlOf('managed', ...most, '+info') })).toBe('');
  expect(await complaint({ REDIS_URL: await urlOf('hidden', ...most) })).toMatch(
    /^Redis hides its settings[^\n]*$/,
  );
});
