import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import { type BatchClient, batchClient } from '../test/support/batches.ts';
import { type Stack, startStack } from '../test/support/stack.ts';
import { printFigures } from './print-figures.ts';
import { residentBytesOf } from './processes.ts';

interface Options {
  rows: number;
  rounds: number;
  json: boolean;
}

const MEBIBYTE = 1024 * 1024;
const SAMPLE_MILLIS = 20;
/** Sent before the measurement: compiles code and allocates buffers. */
const WARM_UP_ROWS = 2000;

const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

const residentMebibytes = ({ gateway }: Stack): number => residentBytesOf(gateway.pid) / MEBIBYTE;

/** Generates a catalogue in NDJSON or CSV, line by line. */
function* generateRows(format: 'ndjson' | 'csv', count: number): Generator<string> {
  if (format === 'csv') yield 'custom_id,image_url\n';
  for (let i = 0; i < count; i++) {
    const customId = `sku-${String(i).padStart(8, '0')}`;
    const imageUrl = `https://images.example/catalogue/2026/spring/${customId}/front-large.jpg`;
    yield format === 'csv'
      ? `${customId},${imageUrl}\n`
      : `${JSON.stringify({ customId, imageUrl })}\n`;
  }
}

/** Joins lines to blocks of the size in which a client reads a file. */
function* toBlocks(lines: Iterable<string>): Generator<Buffer> {
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
  const body = Readable.toWeb(
    Readable.from(toBlocks(generateRows(format, rows))),
  ) as ReadableStream;
  const response = await client.send(id, body, MEDIA_TYPES[format]);
  const result = (await response.json()) as { accepted: number };
  if (result.accepted !== rows) throw new Error(`${response.status} ${JSON.stringify(result)}`);
  return id;
}

/** Measures the duration of work, and how far the gateway's memory rises above its start. */
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
  await upload(client, 'ndjson', WARM_UP_ROWS);
  const figures: Record<string, number> = {
    rows,
    'idle memory, MiB': round(residentMebibytes(stack)),
  };
  for (const format of ['ndjson', 'csv'] as const) {
    for (let i = 1; i <= rounds; i++) {
      const sent = await measured(stack, () => upload(client, format, rows));
      figures[`${format} upload ${i}, seconds`] = round(sent.seconds);
      figures[`${format} upload ${i}, MiB above idle`] = round(sent.riseMebibytes);
      if (i < rounds) continue;
      const resume = () => client.send(sent.value, '', MEDIA_TYPES[format]);
      const resumed = await measured(stack, resume);
      figures[`${format} upload resumed, seconds`] = round(resumed.seconds);
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

/** Prints time and memory for the upload of a catalogue and the download of its manifest; no image is processed. */
export async function run(argv: string[]): Promise<void> {
  const options = new Command('bench batch')
    .option('--rows <n>', 'rows of the catalogue', Number, 100_000)
    .option('--rounds <n>', 'uploads per format', Number, 2)
    .option('--json', 'print JSON', false)
    .parse(argv, { from: 'user' })
    .opts<Options>();
  const stack = await startStack({ LOG_LEVEL: 'info' });
  try {
    const figures = await measure(stack, options);
    printFigures(figures, options.json);
  } finally {
    await stack.stop();
  }
}
