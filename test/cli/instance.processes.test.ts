import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mintKey } from '../../src/auth/key-record.ts';
import { readSecrets } from '../../src/platform/secrets.ts';
import { freePort } from '../support/free-port.ts';
import { runProgram } from '../support/processes.ts';
import { useFolder } from '../support/use-folder.ts';
import { useRedis } from '../support/use-redis.ts';
import { selvage } from './command.ts';

const { server: redis } = await useRedis();
const folder = await useFolder();
const at = (...path: string[]): string => join(folder, ...path);

const instance = (home: string, found: object) =>
  writeFile(at(home, 'instance.json'), JSON.stringify(found));
await mkdir(at('stopped'));
await mkdir(at('starting'));
await instance('starting', { url: 'http://127.0.0.1:1', pids: { launcher: 1 } });

const CREATE = ['keys', 'create', '--client', 'acme', '--scopes', 'taxonomy:classify'];

/** Each needs an installation. */
const COMMANDS = {
  'keys create': (env: NodeJS.ProcessEnv) => selvage(CREATE, env),
  'access list': (env: NodeJS.ProcessEnv) => selvage(['access', 'list'], env),
  'retention list': (env: NodeJS.ProcessEnv) => selvage(['retention', 'list'], env),
  async recover(env: NodeJS.ProcessEnv) {
    const running = runProgram('workers/recover/main.ts', [], env);
    return { code: await running.exited, stdout: '', stderr: running.output() };
  },
};

describe.concurrent.each(Object.entries(COMMANDS))('%s', (name, command) => {
  test.each([
    { home: 'mispelt', says: 'There is no folder' },
    { home: 'stopped', says: 'Nothing runs under' },
    { home: 'starting', says: 'is starting' },
  ])('assumes no Redis where nothing runs: $home', async ({ home, says }) => {
    const { code, stdout, stderr } = await command({ SELVAGE_HOME: at(home), REDIS_URL: '' });
    expect(stderr).toContain(says);
    expect(stderr).toContain(at(home));
    expect(stderr).toContain('REDIS_URL');
    expect(stderr).not.toMatch(/^ +at /m);
    expect(stdout).toBe('');
    expect([1, 3]).toContain(code);
    expect(await readdir(folder)).not.toContain('mispelt');
  });

  test('says that an instance was killed', async () => {
    const home = `killed by ${name}`;
    await mkdir(at(home));
    const redisUrl = `redis://:hush@127.0.0.1:${await freePort()}`;
    await instance(home, { url: 'http://127.0.0.1:1', redisUrl, pids: { launcher: 1 } });
    const { code, stderr } = await command({ SELVAGE_HOME: at(home), REDIS_URL: '' });
    expect(stderr).toContain(`the instance under ${at(home)}`);
    expect(stderr).not.toMatch(/hush|^ +at /m);
    expect([1, 3]).toContain(code);
  });
});

test('a key is stored with the gateway’s pepper or not at all', async () => {
  const env = { REDIS_URL: redis.url, SELVAGE_HOME: at('stopped') };
  const refused = await selvage(CREATE, env);
  expect(refused).toMatchObject({ code: 3, stdout: '' });
  expect(refused.stderr).toContain(`There is no secrets.json in ${at('stopped')}`);
  expect(await readdir(at('stopped'))).toEqual([]);
  const stored = await selvage(CREATE, { ...env, KEY_PEPPER: 'the-pepper-of-this-gateway' });
  expect(stored.stdout).toMatch(/^slv_/);
});

test('an instance is found by its home', async () => {
  await mkdir(at('home'));
  readSecrets(at('home'));
  await instance('home', { url: 'http://127.0.0.1:1', redisUrl: redis.url, pids: { launcher: 1 } });
  const created = await selvage(CREATE, { SELVAGE_HOME: at('home'), REDIS_URL: '' });
  expect(created.stdout).toMatch(/^slv_/);
});

test.each([
  { title: 'half a key', text: mintKey().slice(0, 25), says: 'not hold one whole key' },
  {
    title: 'more than a key',
    text: `${mintKey()}\n\nThis is key_1`,
    says: 'not hold one whole key',
  },
  { title: 'nothing', text: '', says: 'There is no key in' },
])('a key file with $title is named', async ({ text, says }) => {
  await writeFile(at('key'), text);
  const env = { SELVAGE_URL: 'http://127.0.0.1:1', SELVAGE_HOME: at('stopped') };
  const { code, stderr } = await selvage(['usage', '--key-file', at('key')], env);
  expect(code).toBe(2);
  expect(stderr).toContain(says);
  expect(stderr).toContain(at('key'));
});

test('without a server, the home that was looked in is named', async () => {
  const { code, stderr } = await selvage(['usage'], { SELVAGE_HOME: at('mispelt') });
  expect(code).toBe(3);
  expect(stderr).toContain(`There is no folder ${at('mispelt')}`);
});
