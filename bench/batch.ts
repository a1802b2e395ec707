import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import { type BatchClient, batchClient } from '../test/support/batches.ts';
import { type Stack, startStack } from '../test/support/stack.ts';

interface Options {
  rows: number;
  rounds: number;
  json: boolean;
}

const MEBIBYTE = 1024 * 1024;
const SAMPLE_MILLIS = 20;
/** Sent before anything is measured, so that code is compiled and buffers are there. */
const WARM_ROWS = 2000;

const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

const residentMebibytes = ({ gateway }: Stack): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]) / 1024;

/** A catalogue in NDJSON or CSV, made while it is sent. */
function* rowsOf(format: 'ndjson' | 'csv', count: number): Generator<string> {
  if (format === 'csv') yield 'custom_id,image_url\n';
  for (let i = 0; i < count; i++) {
    const customId = `sku-${String(i).padStart(8, '0')}`;
    const imageUrl = `https://images.example/catalogue/2026/spring/${customId}/front-large.jpg`;
    yield format === 'csv'
      ? `${customId},${imageUrl}\n`
      : `${JSON.stringify({ customId, imageUrl })}\n`;
  }
}

/** The same text in blocks as a client that reads a file sends them. */
function* blocksOf(lines: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 64 * 1024) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text) yield Buffer.from(text);
}

const MEDIA_TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

async function upload(client: BatchClient, format: 'ndjson' | 'csv', rows: number) {
  const id = await client.open();
  const body = Readable.toWeb(Readable.from(blocksOf(rowsOf(format, rows)))) as ReadableStream;
  const response = await client.send(id, body, MEDIA_TYPES[format]);
  const answer = (await response.json()) as { accepted: number };
  if (answer.accepted !== rows) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
  return id;
}

/** How long something takes, and how far the gateway's memory rises above where it began. */
async function measured<T>(stack: Stack, work: () => Promise<T>) {
  const idle = residentMebibytes(stack);
  let peak = idle;
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentMebibytes(stack));
  }, SAMPLE_MILLIS);
  const startedAt = performance.now();
  const value = await work().finally(() => clearInterval(sampling));
  return { value, seconds: (performance.now() - startedAt) / 1000, riseMebibytes: peak - idle };
}

async function measure(stack: Stack, { rows, rounds }: Options) {
  const { key } = await stack.key({ quotaPerDay: 100_000_000 });
  const client = batchClient(stack, key);
  await upload(client, 'ndjson', WARM_ROWS);
  const figures: Record<string, number> = { rows, idleMebibytes: round(residentMebibytes(stack)) };
  for (const format of ['ndjson', 'csv'] as const) {
    for (let i = 1; i <= rounds; i++) {
      const sent = await measured(stack, () => upload(client, format, rows));
      figures[`${format} upload ${i}, seconds`] = round(sent.seconds);
      figures[`${format} upload ${i}, MiB above idle`] = round(sent.riseMebibytes);
      if (i < rounds) continue;
      const again = () => client.send(sent.value, '', MEDIA_TYPES[format]);
      const resumed = await measured(stack, again);
      figures[`${format} ids read again, seconds`] = round(resumed.seconds);
      const read = await measured(stack, () => manifestBytes(client, sent.value));
      figures[`${format} manifest, seconds`] = round(read.seconds);
      figures[`${format} manifest, MiB`] = round(read.value / MEBIBYTE);
      figures[`${format} manifest, MiB above idle`] = round(read.riseMebibytes);
    }
  }
  return figures;
}

async function manifestBytes(client: BatchClient, id: string): Promise<number> {
  const response = await client.ask('GET', `/batches/${id}/manifest`);
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return bytes;
}

/** Prints what it takes to hand in a catalogue and to read its manifest; nothing is worked on. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench batch')
    .option('--rows <n>', 'rows of the catalogue', Number, 100_000)
    .option('--rounds <n>', 'uploads of each format', Number, 2)
    .option('--json', 'answer in JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const stack = await startStack({ LOG_LEVEL: 'info' });
  try {
    const figures = await measure(stack, options);
    console.log(
      options.json
        ? JSON.stringify(figures)
        : Object.entries(figures)
            .map(([name, value]) => `${name.padEnd(34)} ${value}`)
            .join('\n'),
    );
  } finally {
    await stack.stop();
  }
}
