import { mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { PhotoLedger } from '../../src/cli/images/ledger.ts';
import { testFolder } from '../support/use-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await testFolder();
  await mkdir(join(folder, 'out'));
  await writeFile(join(folder, 'a.jpg'), 'photo');
});

const photo = () => ({ input: join(folder, 'a.jpg'), output: join(folder, 'out', 'a.png') });

/** A run of the command: makes what is not done. */
async function run(text: string, request: object = {}, force = false): Promise<'made' | 'done'> {
  const ledger = await PhotoLedger.open('remove', join(folder, 'out'), { request, force });
  try {
    if (await ledger.isDone(photo())) return 'done';
    await ledger.make(photo(), (temporary) => writeFile(temporary, text));
    return 'made';
  } finally {
    await ledger.close();
  }
}
const made = () => readFile(photo().output, 'utf8');

test('what was made is done, until the photo or the options change', async () => {
  expect(await run('one')).toBe('made');
  expect(await run('two')).toBe('done');
  expect(await run('white', { backgroundColor: '#ffffff' })).toBe('made');
  expect(await made()).toBe('white');
  await utimes(photo().input, new Date(), new Date(Date.now() + 5000));
  expect(await run('newer', { backgroundColor: '#ffffff' })).toBe('made');
  expect(await run('forced', { backgroundColor: '#ffffff' }, true)).toBe('made');
  await rm(photo().output);
  expect(await run('again', { backgroundColor: '#ffffff' })).toBe('made');
});

test('a file that is not of the command is neither done nor replaced', async () => {
  await writeFile(photo().output, 'mine');
  await expect(run('one')).rejects.toThrow('exists already; --force replaces it');
  expect(await run('one', {}, true)).toBe('made');
  await writeFile(photo().output, 'one, retouched');
  await expect(run('two')).rejects.toThrow('exists already; --force replaces it');
  expect(await made()).toBe('one, retouched');
});

test('what a killed run had begun is made', async () => {
  const out = join(folder, 'out');
  const ledger = await PhotoLedger.open('remove', out, { request: {}, force: false });
  const killed = ledger.make(photo(), () => Promise.reject(new Error('killed')));
  await expect(killed).rejects.toThrow('killed');
  await ledger.close();
  expect(await run('whole')).toBe('made');
  expect(await made()).toBe('whole');
});
