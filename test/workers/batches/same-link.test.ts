import { expect, test } from 'vitest';
import { batchKeys, putLines } from '../../../src/intake/batches/batch-files.ts';
import { createFsBlobs } from '../../../src/storage/fs-blobs.ts';
import { WrittenResults } from '../../../workers/batches/same-link.ts';
import { testFolder } from '../../support/use-folder.ts';

const BATCH = { batchId: 'batch', client: 'shop' };
const problem = { type: 'upstream-failed', title: 'No image', status: 502, detail: 'Not found' };
const failed = (row: number) => ({ row, status: 'failed', problem });

/** Written results over a folder, and how often a chunk was read from it. */
async function writtenResults() {
  const blobs = await createFsBlobs({ dir: await testFolder() });
  const reads: string[] = [];
  const counted: typeof blobs = {
    ...blobs,
    get: (key, signal) => {
      reads.push(key);
      return blobs.get(key, signal);
    },
  };
  const keyOf = batchKeys({ client: BATCH.client, id: BATCH.batchId }).results;
  const write = (chunk: number, rows: number[]) => putLines(blobs, keyOf(chunk), rows.map(failed));
  return { written: new WrittenResults(counted), reads, write, keyOf };
}

test('rows that repeat the links of a chunk read it once, also at the same time', async () => {
  const { written, reads, write, keyOf } = await writtenResults();
  await write(0, [1, 2, 3]);
  const found = await Promise.all([1, 2, 3].map((row) => written.find(BATCH, { chunk: 0, row })));
  expect(found.map((result) => result?.row)).toEqual([1, 2, 3]);
  expect(await written.find(BATCH, { chunk: 0, row: 4 })).toBeUndefined();
  expect(reads).toEqual([keyOf(0)]);
});

test('a chunk that is written later is read again', async () => {
  const { written, write } = await writtenResults();
  expect(await written.find(BATCH, { chunk: 0, row: 1 })).toBeUndefined();
  await write(0, [1]);
  expect(await written.find(BATCH, { chunk: 0, row: 1 })).toMatchObject({ row: 1 });
});

test('chunks are forgotten, those first that were asked for longest ago', async () => {
  const { written, reads, write, keyOf } = await writtenResults();
  const chunks = [0, 1, 2, 3, 4];
  for (const chunk of chunks) await write(chunk, [chunk]);
  for (const chunk of [0, 1, 0, 2, 3, 4]) await written.find(BATCH, { chunk, row: chunk });
  reads.length = 0;
  await written.find(BATCH, { chunk: 0, row: 0 });
  await written.find(BATCH, { chunk: 1, row: 1 });
  expect(reads).toEqual([keyOf(1)]);
});
