import { peakBytesOf } from '../../bench/processes.ts';
import { FEED_LIMITS } from '../../src/feed-formats/chunk.ts';
import { exportFeed } from '../../src/feed-formats/export.ts';
import { FeedError } from '../../src/feed-formats/feed-error.ts';
import { parseFeed } from '../../src/feed-formats/parse.ts';
import type { FeedFormat } from '../../src/feed-formats/sniff.ts';
import { feedLines, type Product, products, streamOf } from '../support/feeds.ts';

/**
 * Reads a generated feed in a process of its own and prints counts and peak memory:
 * `memory.child.ts parse|export <format> <megabytes>`, or
 * `memory.child.ts parse <format> <megabytes> <text before> <endless text>`.
 */
const [command, format, megabytes, before, endless] = process.argv.slice(2) as [
  'parse' | 'export',
  FeedFormat,
  string,
  string | undefined,
  string,
];
const maxBytes = Number(megabytes) * 1_000_000;
const limits = { ...FEED_LIMITS, maxBytes };

/** Endless products with descriptions of realistic length. */
function* manyProducts(): Iterable<Product> {
  const description = 'A long word about a coat. '.repeat(60);
  for (const product of products(Number.MAX_SAFE_INTEGER, (i) => [
    `https://img.example/${i}.jpg`,
  ])) {
    yield { ...product, description };
  }
}

function* endlessText(start: string, rest: string): Iterable<string> {
  yield start;
  for (;;) yield rest.repeat(60_000 / rest.length);
}

const counts = { rows: 0, errors: 0, bytesOut: 0, reason: 'none', peakMebibytes: 0 };

async function read(): Promise<void> {
  const chunks =
    before === undefined ? feedLines(format, manyProducts()) : endlessText(before, endless);
  const source = streamOf(chunks);
  if (command === 'export') {
    const link = () => 'https://cut.example/1.png';
    for await (const bytes of exportFeed(source, link, { format, limits }))
      counts.bytesOut += bytes.length;
    return;
  }
  for await (const { kind } of parseFeed(source, { format, limits }))
    counts[kind === 'row' ? 'rows' : 'errors'] += 1;
}

try {
  await read();
} catch (error) {
  if (!(error instanceof FeedError)) throw error;
  counts.reason = error.reason;
}
counts.peakMebibytes = Math.round(peakBytesOf(process.pid) / 2 ** 20);
console.log(JSON.stringify(counts));
