import { createWriteStream, openAsBlob } from 'node:fs';
import { dirname, extname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import type {
  Client,
  Feed,
  FeedBody,
  FeedRun,
  Operation,
  ReportLine,
} from '../../client/client.ts';
import { follow } from '../batches/follow.ts';
import { connect } from '../connection/connect.ts';
import type { PlaceOptions } from '../connection/server-profile.ts';
import { CliError, EXIT, usageError } from '../terminal/exit.ts';
import { type Output, print, say, table } from '../terminal/output.ts';
import { save } from '../terminal/save.ts';
import { operationsOption } from './operations-option.ts';

interface FeedOptions extends PlaceOptions, Output {}

interface ImportOptions extends FeedOptions {
  operations: Operation[];
  background?: string;
  schedule?: string;
  detach?: true;
}

/** A feed may be larger than an image; what the service takes is for it to say. */
const MAX_FEED_BYTES = 2 * 2 ** 30;
const connectFeeds = (options: PlaceOptions): Client =>
  connect(options, { maxBodyBytes: MAX_FEED_BYTES, timeoutMillis: 3_600_000 });

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.txt': 'text/tab-separated-values',
  '.ndjson': 'application/x-ndjson',
  '.jsonl': 'application/x-ndjson',
  '.xml': 'application/xml',
  '.rss': 'application/rss+xml',
  '.atom': 'application/atom+xml',
};

async function readFeed(file: string): Promise<FeedBody> {
  const mediaType = MEDIA_TYPES[extname(file).toLowerCase()];
  if (!mediaType) throw usageError(`${file} is none of ${Object.keys(MEDIA_TYPES).join(' ')}`);
  const body = await openAsBlob(file).catch(() => {
    throw usageError(`There is no file ${file}`);
  });
  return { body, mediaType };
}

async function createFeed(
  client: Client,
  source: string,
  options: ImportOptions,
  signal: AbortSignal,
) {
  const { operations, background, schedule } = options;
  if (/^https?:\/\//.test(source)) {
    const feed = { url: source, operations, ...(schedule && { schedule }) };
    return client.feeds.create({ ...feed, export: { background } }, { signal });
  }
  if (schedule) throw usageError('--schedule is for addresses: a file is sent once');
  const look = background === undefined ? {} : { background };
  return client.feeds.create({ ...(await readFeed(source)), operations, ...look }, { signal });
}

function runText({ status, counts, problem }: FeedRun): string {
  const { rows, images, changed, unchanged, failed, rejected } = counts;
  const sum = `${rows} rows, ${images} images: ${changed} changed, ${unchanged} unchanged, ${failed} failed, ${rejected} rows rejected.`;
  return problem ? `${status}: ${problem.detail}` : `${status}: ${sum}`;
}

/** Waits for the end of a run and tells it. */
async function finishRun(
  client: Client,
  { feedId, id }: FeedRun,
  options: FeedOptions,
  signal: AbortSignal,
): Promise<void> {
  await follow(client.feeds.events(feedId, id, { signal }), options);
  const { requestId: _, ...run } = await client.feeds.getRun(feedId, id, { signal });
  print(options, run, `${feedId} ${runText(run)}`);
  say(
    options,
    `What became of each row: selvage feed report ${feedId}\nThe feed with new links: selvage feed export ${feedId}`,
  );
  const { failed, rejected } = run.counts;
  if (run.status !== 'completed' || failed + rejected > 0) process.exitCode = EXIT.failed;
}

const latestRun = ({ id, run }: Feed): FeedRun => {
  if (run) return run;
  throw new CliError(`${id} has not run yet`);
};

async function importFeed(source: string, options: ImportOptions, signal: AbortSignal) {
  const client = connectFeeds(options);
  const feed = await createFeed(client, source, options, signal);
  const { id } = feed;
  const run = latestRun(feed);
  if (options.detach) return print(options, { id, run: { id: run.id } }, id);
  say(options, id);
  await finishRun(client, run, options, signal);
}

async function runFeed(
  id: string,
  file: string | undefined,
  options: FeedOptions,
  signal: AbortSignal,
) {
  const client = connectFeeds(options);
  const body = file === undefined ? undefined : await readFeed(file);
  await finishRun(client, await client.feeds.run(id, body, { signal }), options, signal);
}

interface ExportOptions extends FeedOptions {
  output?: string;
  force?: true;
  run?: string;
}

async function exportFeed(id: string, options: ExportOptions, signal: AbortSignal): Promise<void> {
  const { output, force = false, run } = options;
  const { body } = await connectFeeds(options).feeds.export(id, run, { signal });
  if (output === undefined) return pipeline(body, process.stdout, { signal, end: false });
  await save(output, { folder: dirname(output), force }, (unfinished) =>
    pipeline(body, createWriteStream(unfinished), { signal }),
  );
}

/** A row of the report as cells: line, id, picture, what became of it, why. */
function cellsOf(line: ReportLine): string[][] {
  if (line.kind === 'run') return [];
  if (line.kind === 'rejected') {
    return [[String(line.line), line.id ?? '', '', 'rejected', line.reasons.join('; ')]];
  }
  return line.images.map(({ url, outcome, reason = '' }) => [
    ...[String(line.line), line.id, url, outcome, reason],
  ]);
}

async function reportFeed(id: string, options: ExportOptions, signal: AbortSignal): Promise<void> {
  const client = connectFeeds(options);
  const run = options.run ?? latestRun(await client.feeds.get(id, { signal })).id;
  const rows: string[][] = [];
  for await (const line of client.feeds.report(id, run, { signal })) {
    if (options.json) print(options, line, '');
    else rows.push(...cellsOf(line));
  }
  if (!options.json)
    print(options, rows, table(['line', 'id', 'image', 'outcome', 'reason'], rows));
}

const EXAMPLES = `
Examples:
  $ selvage feed import https://shop.example/feed.xml --background white --schedule "30 4 * * *"
  $ selvage feed import feed.csv
  $ selvage feed report feed_…
  $ selvage feed export feed_… -o feed-with-cut-outs.csv
  $ selvage feed run feed_… feed.csv`;

function importCommand(signal: AbortSignal): Command {
  return new Command('import')
    .description('hand in a feed, by its address or as a file, and wait for its first run')
    .argument('<source>', 'an address, or a file: CSV, TSV, NDJSON, RSS or Atom')
    .addOption(operationsOption())
    .option('--background <colour>', 'behind the subjects: #rrggbb, white or none')
    .option('--schedule <cron>', 'when the address is read again, UTC: "30 4 * * *"')
    .option('--detach', 'do not wait: print the id')
    .action((source: string, options: ImportOptions) => importFeed(source, options, signal));
}

/** `feed import|run|report|export` */
export function feedCommand(signal: AbortSignal): Command {
  const feed = new Command('feed')
    .description("retailers' feeds: the same feed with links to cut-outs")
    .addHelpText('after', EXAMPLES)
    .addCommand(importCommand(signal));
  feed
    .command('run')
    .description('read a feed again, and wait; what has not changed costs nothing')
    .argument('<id>', 'the feed')
    .argument('[file]', 'the feed as it is now, where it has no address')
    .action((id: string, file: string | undefined, options: FeedOptions) =>
      runFeed(id, file, options, signal),
    );
  feed
    .command('report')
    .description('what became of each row')
    .argument('<id>', 'the feed')
    .option('--run <id>', 'of this run; else of the latest')
    .action((id: string, options: ExportOptions) => reportFeed(id, options, signal));
  feed
    .command('export')
    .description('the feed with links to the new pictures')
    .argument('<id>', 'the feed')
    .option('--run <id>', 'of this run; else of the one that completed last')
    .option('-o, --output <file>', 'else to standard output')
    .option('--force', 'replace the file if it is there already')
    .action((id: string, options: ExportOptions) => exportFeed(id, options, signal));
  return feed;
}
