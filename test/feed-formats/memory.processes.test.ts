import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

/**
 * Feeds far larger than the heap that reads them. They are generated and endless: the reader's limit on the feed's
 * size ends them.
 */
const HEAP_MEBIBYTES = 64;
/** Node, tsx and the heap need half of this; the whole feed would need more. */
const MAX_PEAK_MEBIBYTES = 200;

async function readInChild(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MEBIBYTES}`,
      '--import',
      'tsx',
      join(import.meta.dirname, 'memory.child.ts'),
      ...args,
    ],
    { cwd: join(import.meta.dirname, '../..') },
  );
  const { peakMebibytes, ...counts } = JSON.parse(stdout);
  expect(peakMebibytes).toBeLessThan(MAX_PEAK_MEBIBYTES);
  return counts;
}

const options = { timeout: 120_000 };

describe('endless rows', options, () => {
  test.each([
    { format: 'csv', megabytes: '200', rows: 110_000 },
    { format: 'ndjson', megabytes: '100', rows: 50_000 },
    { format: 'rss', megabytes: '40', rows: 19_000 },
  ])('reads $megabytes MB of $format', async ({ format, megabytes, rows }) => {
    const counts = await readInChild('parse', format, megabytes);
    expect(counts).toMatchObject({ errors: 0, reason: 'too-large' });
    expect(counts.rows).toBeGreaterThan(rows);
  });

  test.each(['csv', 'rss'])('exports 40 MB of %s', async (format) => {
    const counts = await readInChild('export', format, '40');
    expect(counts).toMatchObject({ reason: 'too-large' });
    expect(counts.bytesOut).toBeGreaterThan(39_000_000);
  });
});

describe('200 MB of one token', options, () => {
  const csv = 'id,image_link\n';
  const rss = '<rss><channel>';
  // biome-ignore format: a table reads best aligned
  test.each([
    { what: 'a line', format: 'csv', before: csv, endless: 'x', reason: 'too-large' },
    { what: 'a first line', format: 'csv', before: '', endless: 'x', reason: 'no-header' },
    { what: 'a quoted value', format: 'csv', before: `${csv}a,"`, endless: '""', reason: 'too-large' },
    { what: 'a JSON string', format: 'ndjson', before: '{"id":"', endless: 'x', reason: 'too-large' },
    { what: 'a text in an item', format: 'rss', before: `${rss}<item><x>`, endless: 'x', reason: 'too-large' },
    { what: 'a text around the items', format: 'rss', before: rss, endless: 'x', reason: 'too-large' },
    { what: 'a tag in an item', format: 'rss', before: `${rss}<item><x y="`, endless: 'x', reason: 'too-large' },
    { what: 'a tag around the items', format: 'rss', before: `${rss}<x y="`, endless: 'x', reason: 'malformed-xml' },
    { what: 'a comment', format: 'rss', before: `${rss}<!--`, endless: '- ', reason: 'too-large' },
    { what: 'CDATA', format: 'rss', before: `${rss}<item><![CDATA[`, endless: 'x]', reason: 'too-large' },
  ])('$what', async ({ format, before, endless, reason }) => {
    expect(await readInChild('parse', format, '200', before, endless)).toMatchObject({ rows: 0, reason });
  });
});
