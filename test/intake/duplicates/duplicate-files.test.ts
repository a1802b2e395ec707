import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { formatFingerprint } from '../../../src/imaging/fingerprint.ts';
import { batchKeys, getRows } from '../../../src/intake/batches/batch-files.ts';
import type { BatchRecord } from '../../../src/intake/batches/batch-record.ts';
import type { RowOutcome } from '../../../src/intake/batches/row-reader.ts';
import { putDuplicates, putFingerprints, readGroups } from '../../../src/intake/duplicates.ts';
import { cutOutLine } from '../../support/ended-batch.ts';
import { useBlobs } from '../../support/use-blobs.ts';

const blobs = await useBlobs();

const CHUNK_ROWS = 500;
const batchOf = (id: string, rows: number) =>
  ({ id, client: 'tests', chunks: Math.ceil(rows / CHUNK_ROWS) }) as BatchRecord;

/** The outcome of a row of a feed whose cut-out has a fingerprint. */
const outcomeOf = (row: number, fingerprint: string | undefined): RowOutcome => ({
  row: {
    row,
    line: row + 1,
    customId: `sku-${row}`,
    image: 0,
    source: { url: 'http://a.example' },
  },
  result: cutOutLine(row, { key: `out/${row}`, fingerprint }),
});

async function putAll(batch: BatchRecord, fingerprints: readonly (string | undefined)[]) {
  for (let chunk = 0; chunk < batch.chunks; chunk++) {
    const first = chunk * CHUNK_ROWS;
    const outcomes = fingerprints
      .slice(first, first + CHUNK_ROWS)
      .map((fingerprint, i) => outcomeOf(first + i, fingerprint));
    await putFingerprints(blobs, batch, chunk, outcomes);
  }
}

/** Fingerprints that have nothing in common: a SHA-512 hash has 64 bytes too. */
const picture = (number: number): Uint8Array =>
  createHash('sha512').update(String(number)).digest();

test('rows with the same picture form groups by their first row, in pages', async () => {
  const [a, b, c] = [picture(1), picture(2), picture(3)];
  const near = a.map((byte, i) => (i % 8 === 0 ? Math.min(255, byte + 5) : byte));
  const texts = [a, b, near, c, b, a].map(formatFingerprint);
  const rows = [...texts, undefined, 'layout0:AAAA'];
  const batch = batchOf('b1', rows.length);
  await putAll(batch, rows);
  const counts = await putDuplicates(blobs, batch);
  expect(counts).toEqual({ compared: 6, groups: 2, rows: 3 });
  const name = (row: number) => ({ row, customId: `sku-${row}`, image: 0 });
  const groups = [
    {
      ...name(0),
      rows: 3,
      duplicates: [
        { ...name(2), similarity: expect.closeTo(0.956, 2) },
        { ...name(5), similarity: 1 },
      ],
    },
    { ...name(1), rows: 2, duplicates: [{ ...name(4), similarity: 1 }] },
  ];
  const page = await readGroups(blobs, batch, { cursor: 0, limit: 1 });
  expect(page).toEqual({ groups: groups.slice(0, 1), next: 1 });
  const rest = { groups: groups.slice(1), next: undefined };
  expect(await readGroups(blobs, batch, { cursor: 1, limit: 9 })).toEqual(rest);
  const expected = { groups: [], next: undefined };
  expect(await readGroups(blobs, batch, { cursor: 7, limit: 9 })).toEqual(expected);
  expect(
    await getRows(blobs, batchKeys({ client: 'tests', id: 'b1' }).duplicates(0), z.unknown()),
  ).toEqual([
    { of: 2, ...name(0), similarity: expect.closeTo(0.956, 2) },
    { of: 4, ...name(1), similarity: 1 },
    { of: 5, ...name(0), similarity: 1 },
  ]);
  await putAll(batch, []);
  expect(await putDuplicates(blobs, batch)).toEqual(counts);
});

test('a batch without fingerprints has no groups', async () => {
  const batch = batchOf('b2', 3);
  expect(await putDuplicates(blobs, batch)).toEqual({ compared: 0, groups: 0, rows: 0 });
  expect((await readGroups(blobs, batch, { cursor: 0, limit: 9 })).groups).toEqual([]);
});

test('of many groups every one is found, and few rows of each are listed', async () => {
  const pictures = Array.from({ length: 250 }, (_, i) => formatFingerprint(picture(i)));
  const rows = Array.from({ length: 250 * 24 }, (_, i) => pictures[i % 250]);
  const batch = batchOf('b3', rows.length);
  await putAll(batch, rows);
  const expected = { compared: rows.length, groups: 250, rows: rows.length - 250 };
  expect(await putDuplicates(blobs, batch)).toEqual(expected);
  const { groups, next: end } = await readGroups(blobs, batch, { cursor: 195, limit: 100 });
  expect(groups.map(({ row }) => row)).toEqual(Array.from({ length: 55 }, (_, i) => 195 + i));
  expect(end).toBeUndefined();
  expect(groups.every((group) => group.rows === 24 && group.duplicates.length === 19)).toBe(true);
});
