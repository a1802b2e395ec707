import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/platform/config.ts';

test('without settings the documented defaults apply', () => {
  expect(readConfig({ SELVAGE_HOME: '/nowhere' })).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 8080,
    REDIS_URL: 'redis://127.0.0.1:6379',
    STORE: 'fs',
    STORE_DIR: '/nowhere/store',
    SYNC_TIMEOUT_SECONDS: 25,
    MAX_IMAGE_BYTES: 20 * 1024 * 1024,
    MAX_IMAGE_PIXELS: 50_331_648,
    MODEL: 'garment-cutout',
    DEVICE: 'auto',
  });
});

test('an empty setting counts as not set', () => {
  expect(readConfig({ PORT: '', REDIS_URL: '' }).PORT).toBe(8080);
});

test('the batch size depends on the device unless it is set', () => {
  expect(readConfig({}).WORKER_BATCH).toBeUndefined();
  expect(readConfig({ WORKER_BATCH: '4' }).WORKER_BATCH).toBe(4);
  expect(() => readConfig({ WORKER_BATCH: '0' })).toThrow(/WORKER_BATCH/);
});

test('outfits leave a core to the event loop, if there are several', () => {
  const { LOOK_THREADS: threads } = readConfig({});
  expect(threads).toBe(Math.max(1, Math.min(4, availableParallelism() - 1)));
  expect(() => readConfig({ LOOK_THREADS: '0' })).toThrow(/LOOK_THREADS/);
});

test('networks that can be fetched from are a list in CIDR notation', () => {
  expect(readConfig({}).FETCH_ALLOW).toEqual([]);
  const env = { FETCH_ALLOW: '10.0.0.0/8, fd00::/8,' };
  expect(readConfig(env).FETCH_ALLOW).toEqual(['10.0.0.0/8', 'fd00::/8']);
  expect(() => readConfig({ FETCH_ALLOW: '10.0.0.1' })).toThrow(/FETCH_ALLOW/);
});

test('origins are a list, each without a path', () => {
  expect(readConfig({}).CORS_ORIGINS).toEqual([]);
  const env = { CORS_ORIGINS: 'https://shop.example, http://localhost:5173' };
  expect(readConfig(env).CORS_ORIGINS).toEqual(['https://shop.example', 'http://localhost:5173']);
  for (const wrong of ['*', 'shop.example', 'https://shop.example/', 'null']) {
    expect(() => readConfig({ CORS_ORIGINS: wrong })).toThrow(/CORS_ORIGINS/);
  }
});

test('the public address is an http URL without anything secret; a slash at its end is dropped', () => {
  expect(readConfig({}).PUBLIC_URL).toBeUndefined();
  const { PUBLIC_URL } = readConfig({ PUBLIC_URL: 'https://Images.example/selvage/' });
  expect(PUBLIC_URL).toBe('https://images.example/selvage');
  for (const wrong of ['images.example', 'javascript:x', 'https://u:p@a.example', 'https://a/?b']) {
    expect(() => readConfig({ PUBLIC_URL: wrong })).toThrow(/PUBLIC_URL/);
  }
});

test('the public endpoint of S3 is an origin: one error says what else it has', () => {
  expect(readConfig({}).S3_PUBLIC_ENDPOINT).toBeUndefined();
  const { S3_PUBLIC_ENDPOINT } = readConfig({ S3_PUBLIC_ENDPOINT: 'https://Files.example/' });
  expect(S3_PUBLIC_ENDPOINT).toBe('https://files.example');
  for (const [wrong, says] of [
    ['https://files.example/bucket', /no path/],
    ['files.example', /S3_PUBLIC_ENDPOINT: .+/],
    ['ftp://files.example', /S3_PUBLIC_ENDPOINT: .+/],
    ['https://user:secret@files.example', /no credentials/],
    ['https://files.example/bucket?a#b', /no credentials, query/],
  ] as const) {
    expect(() => readConfig({ S3_PUBLIC_ENDPOINT: wrong })).toThrow(says);
    expect(() => readConfig({ S3_PUBLIC_ENDPOINT: wrong })).not.toThrow(/secret|\n.*\n/);
  }
});

test('trusted proxies are networks', () => {
  expect(readConfig({}).TRUST_PROXY).toEqual([]);
  expect(readConfig({ TRUST_PROXY: '10.0.0.0/8,::1/128' }).TRUST_PROXY).toHaveLength(2);
  expect(() => readConfig({ TRUST_PROXY: 'true' })).toThrow(/TRUST_PROXY/);
});

test('the development key has at least 32 characters, and the error says how to get one', () => {
  const SELVAGE_DEV_KEY = 'k'.repeat(32);
  expect(readConfig({ SELVAGE_DEV_KEY })).toMatchObject({ SELVAGE_DEV_KEY });
  expect(() => readConfig({ SELVAGE_DEV_KEY: 'k'.repeat(31) })).toThrow(
    /SELVAGE_DEV_KEY: must be 32 .* keys -- mint/,
  );
});

test('all errors are listed at once, by name and never by value', () => {
  const env = { PORT: 'eighty', STORE: 'tape', KEY_PEPPER: 'tooshort', REDIS_URL: 'http://x' };
  let message = '';
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    message = String(error);
  }
  for (const name of Object.keys(env)) expect(message).toContain(name);
  for (const value of ['eighty', 'tape', 'tooshort', 'http://x'])
    expect(message).not.toContain(value);
});

test('finds the Redis of the instance that runs under SELVAGE_HOME', () => {
  const home = mkdtempSync(join(tmpdir(), 'selvage-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  writeFileSync(
    join(home, 'instance.json'),
    JSON.stringify({
      url: 'http://127.0.0.1:8080',
      redisUrl: 'redis://127.0.0.1:7777',
      pids: { launcher: 1 },
    }),
  );
  expect(readConfig({ SELVAGE_HOME: home }).REDIS_URL).toBe('redis://127.0.0.1:7777');
  expect(readConfig({ SELVAGE_HOME: home, REDIS_URL: 'redis://r:1' }).REDIS_URL).toBe(
    'redis://r:1',
  );
});
