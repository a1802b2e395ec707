import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLog, readable } from '../../../infra/launcher/child-log.mjs';

const plain = (_colour: string, text: string) => text;
const line = (level: string, fields: object = {}) =>
  JSON.stringify({ level, time: '2026-01-31T12:00:00Z', process: 'worker', msg: 'job', ...fields });

test.each([
  { text: line('error'), at: 'warn', shown: 'worker error: job' },
  { text: line('warn', { jobId: 'a1' }), at: 'warn', shown: 'worker warn: job  jobId=a1' },
  {
    text: line('warn', { steps: { wait: 3 } }),
    at: 'warn',
    shown: 'worker warn: job  steps={"wait":3}',
  },
  { text: line('info'), at: 'warn', shown: undefined },
  { text: line('info'), at: 'trace', shown: 'worker info: job' },
  { text: 'Error: no memory', at: 'warn', shown: 'worker: Error: no memory' },
  { text: '{"level":"loud"}', at: 'warn', shown: 'worker: {"level":"loud"}' },
  { text: '{not json', at: 'warn', shown: 'worker: {not json' },
])('at level $at, $text is shown as $shown', ({ text, at, shown }) => {
  expect(readable('worker', text, at, plain)).toBe(shown);
});

test('a log file is appended to, readable by its owner only, and rotated when it is large', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'selvage-log-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'logs/worker.log');
  const write = (text: string) => new Promise<void>((done) => openLog(file).end(text, done));
  await write('one\n');
  await write('two\n');
  expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  await writeFile(`${file}.1`, 'older');
  await truncate(file, 11 * 2 ** 20);
  await write('three\n');
  expect(await readFile(file, 'utf8')).toBe('three\n');
  expect((await readdir(join(dir, 'logs'))).sort()).toEqual(['worker.log', 'worker.log.1']);
  expect((await stat(`${file}.1`)).size).toBe(11 * 2 ** 20);
});
