import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Entry, openLedger } from '../../src/cli/images/ledger.ts';
import { isMissing } from '../support/requirement.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const entry = (file: string): Entry => ({
  file,
  sizeBytes: 1,
  modifiedMillis: 1,
  status: 'succeeded',
  output: `${file}.png`,
});

test('the ledger has whole lines only, also of a disk that was full', async ({ skip }) => {
  const disk = mountSmallDisk(2 ** 20);
  if (isMissing('mount', disk !== undefined, 'this process may not mount a disk') || !disk)
    return skip();
  onTestFinished(() => disk.remove());
  await mkdir(join(disk.path, 'out'));
  const path = join(disk.path, 'out/ledger.ndjson');
  const ledger = await openLedger(path);
  await ledger.append(entry('first'));
  await disk.fill();
  const long = entry('x'.repeat(10_000)); // more than the rest of the last page
  await expect(ledger.append(long)).rejects.toThrow('ENOSPC');
  await disk.free();
  await ledger.append(entry('last'));
  await ledger.close();
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).file)).toEqual(['first', 'last']);
});
