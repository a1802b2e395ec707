import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLog } from '../../../infra/launcher/log-file.mjs';
import { testFolder } from '../../support/use-folder.ts';

test('a log is appended to, readable by its owner only', async () => {
  const file = join(await testFolder(), 'logs/worker.log');
  for (const line of ['one', 'two']) {
    const log = await openLog(file, expect.unreachable);
    log.write(line);
    await log.close();
  }
  expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

/** Resolves when the files of a folder have so many bytes. */
async function untilWritten(dir: string, bytes: number): Promise<void> {
  for (let written = -1; written < bytes; ) {
    const names = await readdir(dir);
    const sizes = names.map((name) =>
      stat(join(dir, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
    written = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }
}

test('a log rotates while it is written: every line is in one of the files, of which there are few', async () => {
  const dir = await testFolder();
  const log = await openLog(join(dir, 'worker.log'), expect.unreachable);
  const filler = 'x'.repeat(100_000);
  const lines = 350;
  for (let i = 0; i < lines; i++) {
    log.write(`${i} ${filler}`);
    // More at once than a slow disk takes is dropped.
    if (i % 5 === 0) await untilWritten(dir, i * filler.length);
  }
  await log.close();
  const files = (await readdir(dir)).sort();
  expect(files).toEqual(['worker.log', 'worker.log.1', 'worker.log.2', 'worker.log.3']);
  const numbers: number[] = [];
  for (const name of files.reverse()) {
    const text = await readFile(join(dir, name), 'utf8');
    expect(text.length).toBeLessThan(11 * 2 ** 20);
    expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
    numbers.push(...[...text.matchAll(/^\d+/gm)].map(([number]) => Number(number)));
  }
  expect(numbers).toEqual([...Array(lines).keys()]);
});
