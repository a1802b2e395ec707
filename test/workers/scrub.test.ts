import { createHash } from 'node:crypto';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createFsBlobs } from '../../src/storage/fs-blobs.ts';
import { scrubBlobs } from '../../workers/scrub.ts';
import { listStoredFiles } from '../support/stored-files.ts';
import { testFolder } from '../support/use-folder.ts';

const HOUR_MILLIS = 3_600_000;

test('in a week of hours every damaged file is named once, and nothing is deleted', async () => {
  const dir = await testFolder();
  const blobs = await createFsBlobs({ dir });
  for (const name of ['sound', 'flipped', 'cut', 'undescribed']) {
    const sha256 = createHash('sha256').update(name).digest('hex');
    const meta = name === 'undescribed' ? {} : { sha256 };
    await blobs.put(`out/c/${name}`, Buffer.from(name), { meta });
  }
  const files = await listStoredFiles(dir);
  const fileOf = (name: string) => files.find((file) => file.endsWith(name))!;
  const bytes = await readFile(fileOf('flipped'));
  bytes[0]! ^= 1;
  await writeFile(fileOf('flipped'), bytes);
  await truncate(fileOf('cut'), 2);

  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).key) });
  let counted = 0;
  let found = 0;
  const onDamaged = () => void counted++;
  for (let hour = 0; hour < 168; hour++) {
    const never = new AbortController().signal;
    found += await scrubBlobs({ blobs, log, onDamaged }, hour * HOUR_MILLIS, never);
  }
  expect(lines.sort()).toEqual(['out/c/cut', 'out/c/flipped']);
  expect([counted, found]).toEqual([2, 2]);
  expect(await listStoredFiles(dir)).toEqual(files);
});
