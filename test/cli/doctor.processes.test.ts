import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { checkCLibrary, checkNode, checkPort } from '../../src/cli/doctor/machine.ts';
import { freePort, listen } from '../support/free-port.ts';
import { ROOT } from '../support/root.ts';
import { useFolder } from '../support/use-folder.ts';
import { useRedis } from '../support/use-redis.ts';
import { selvage } from './command.ts';

const { server: redis } = await useRedis();
const home = await useFolder();
const otherServer = createServer((socket) => socket.destroy());
const usedPort = await listen(otherServer);
afterAll(() => void otherServer.close());

interface Finding {
  status: string;
  detail: string;
  advice?: string;
}

async function doctor(env: NodeJS.ProcessEnv) {
  const { code, stdout } = await selvage(['doctor', '--json'], {
    SELVAGE_HOME: home,
    REDIS_URL: redis.url,
    ...env,
  });
  const answer: { ok: boolean; findings: ({ name: string } & Finding)[] } = JSON.parse(stdout);
  return {
    code,
    ok: answer.ok,
    of: new Map(answer.findings.map(({ name, ...found }) => [name, found])),
  };
}

/** Adds a copy of the project's model with changed bytes, under its own id. */
async function damageModel(): Promise<void> {
  const { models } = JSON.parse(await readFile(join(ROOT, 'models', 'catalog.json'), 'utf8'));
  const model = models.find(({ id }: { id: string }) => id === 'garment-cutout');
  const folder = join(home, 'models');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'catalog.json'),
    JSON.stringify({ models: [{ ...model, id: 'damaged', file: 'damaged.onnx' }] }),
  );
  const weights = join(folder, 'damaged.onnx');
  await copyFile(join(ROOT, 'models', model.file), weights);
  const bytes = await readFile(weights);
  bytes.set(randomBytes(16), 1000);
  await writeFile(weights, bytes);
}

test('reports every broken part, and how to fix it', async () => {
  const settings = new Redis(redis.url);
  await settings.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await settings.config('SET', 'appendonly', 'no');
  settings.disconnect();
  await damageModel();
  const file = join(home, 'a-file');
  await writeFile(file, 'not a folder');
  const { code, ok, of } = await doctor({
    MODEL: 'damaged',
    STORE_DIR: file,
    PORT: String(usedPort),
  });
  expect([code, ok]).toEqual([1, false]);
  expect(of.get('redis')).toMatchObject({ status: 'ok' });
  expect(of.get('redis eviction')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/allkeys-lru/),
    advice: expect.stringMatching(/CONFIG SET maxmemory-policy noeviction/),
  });
  expect(of.get('redis durability')).toMatchObject({ status: 'warn' });
  expect(of.get('clock')).toMatchObject({ status: 'ok' });
  expect(of.get('worker')).toMatchObject({
    status: 'fail',
    advice: expect.stringMatching(/npm start, or a worker alone/),
  });
  expect(of.get('store')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/a-file/),
  });
  expect(of.get('model damaged')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/does not match the catalogue/),
  });
  expect(of.get('model garment-class')).toMatchObject({ status: 'ok' });
  expect(of.get('model garment-parse')).toMatchObject({ status: 'ok' });
  expect(of.get('device')).toMatchObject({ status: 'fail' });
  expect(of.get('port')).toMatchObject({
    status: 'fail',
    advice: expect.stringMatching(/another PORT/),
  });
});

test('a Redis that does not respond, and a GPU that does not exist', async () => {
  const url = `redis://user:secret@127.0.0.1:${await freePort()}`;
  const { code, of } = await doctor({ REDIS_URL: url, DEVICE: 'cuda' });
  expect(code).toBe(1);
  expect(of.get('redis')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/^Redis at 127.*ECONNREFUSED/),
    advice: expect.stringMatching(/REDIS_URL/),
  });
  expect(of.get('device')).toMatchObject({ status: 'fail' });
  expect(of.get('store')).toMatchObject({ status: 'ok' });
  expect(JSON.stringify([...of.values()])).not.toMatch(/secret/);
});

test('invalid settings are one finding', async () => {
  const { code, stdout } = await selvage(['doctor'], { SELVAGE_HOME: home, PORT: 'many' });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail {2}settings {2}.*PORT/m);
});

test.each([
  ['18.20.0', 'fail'],
  ['20.18.9', 'fail'],
  ['20.19.0', 'warn'],
  ['24.1.0', 'ok'],
])('Node.js %s: %s', (version, status) => {
  expect(checkNode(version)).toMatchObject({ status });
});

test.each([
  ['linux', '2.36', 'ok'],
  ['linux', undefined, 'fail'],
  ['darwin', undefined, 'ok'],
] as const)('%s with glibc %s: %s', (platform, glibc, status) => {
  expect(checkCLibrary(platform, glibc)).toMatchObject({ name: 'c library', status });
});

test('a port is used by the gateway, or free', async () => {
  const port = await freePort();
  expect(await checkPort('127.0.0.1', port, false)).toMatchObject({ status: 'warn' });
  expect(await checkPort('127.0.0.1', port, true)).toMatchObject({ status: 'ok' });
});
