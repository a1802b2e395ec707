import { openAsBlob } from 'node:fs';
import { basename, extname } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import type {
  Client,
  Feed,
  FeedAccess,
  FeedBody,
  FeedEdit,
  FeedFormat,
  FeedImageOptions,
  FeedMapping,
  FeedPreset,
  FeedRun,
  Operation,
} from '../../../packages/client/src/client.ts';
import { optionsAt } from '../../output/option-table.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { fieldsGiven, withImageOptions } from '../images/image-options.ts';
import { readJsonFile } from '../terminal/files.ts';
import { CliError, EXIT, type Output, print, say, usageError } from '../terminal/output.ts';
import { follow } from '../terminal/progress.ts';
import { operationsOption } from './arguments.ts';
import { formatLoss, formatRun, inspectionText } from './feed-text.ts';

export interface FeedOptions extends ServerOptions, Output {}

interface ImportOptions extends FeedOptions {
  operations: Operation[];
  background?: string;
  schedule?: string;
  webhook?: string;
  format?: FeedFormat;
  mapping?: FeedMapping;
  access?: string;
  detach?: true;
  dryRun?: true;
}

/** A feed may be larger than an image; the service enforces its own limit. */
const MAX_FEED_BYTES = 2 * 2 ** 30;
export const connectFeeds = (options: ServerOptions): Client =>
  connect(options, { maxBodyBytes: MAX_FEED_BYTES, timeoutMillis: 3_600_000 });

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.ndjson': 'application/x-ndjson',
  '.jsonl': 'application/x-ndjson',
  '.xml': 'application/xml',
  '.rss': 'application/rss+xml',
  '.atom': 'application/atom+xml',
};

/** The bytes of other files, also of compressed ones, decide what they are. */
async function readFeed(file: string): Promise<FeedBody> {
  const mediaType = MEDIA_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream';
  const body = await openAsBlob(file).catch(() => {
    throw usageError(`There is no file ${file}`);
  });
  return { body, mediaType };
}

/** Parses a mapping: JSON, or the name of a preset. */
function parseMapping(text: string): FeedMapping {
  if (!text.startsWith('{')) return { preset: text as FeedPreset };
  try {
    return JSON.parse(text);
  } catch {
    throw usageError(`--mapping is the name of a preset or JSON, not ${text}`);
  }
}

/** A password is in a file, not in a command line that others can see. */
const readAccess = (file: string): Promise<FeedAccess> =>
  readJsonFile(
    file,
    z.custom<FeedAccess>((value) => typeof value === 'object', 'is no object'),
  );

async function createFeed(
  client: Client,
  source: string,
  options: ImportOptions,
  signal: AbortSignal,
) {
  const { operations, background, schedule, webhook, format, mapping } = options;
  const reading = { operations, ...(format && { format }), ...(mapping && { mapping }) };
  const image: FeedImageOptions = fieldsGiven(options, optionsAt('feeds'));
  const call = { signal, dryRun: options.dryRun };
  if (/^https?:\/\//.test(source)) {
    const access = options.access && (await readAccess(options.access));
    const request = {
      url: source,
      ...reading,
      ...(schedule && { schedule }),
      ...(access && { access }),
      ...(webhook && { webhook: { url: webhook } }),
      options: image,
      export: { background },
    };
    return client.feeds.create(request, call);
  }
  if (schedule) throw usageError('--schedule needs a URL: a file is sent once');
  const fields = {
    ...(background !== undefined && { background }),
    ...(webhook && { webhookUrl: webhook }),
  };
  const fileName = basename(source);
  return client.feeds.create(
    { ...(await readFeed(source)), ...reading, ...image, fileName, ...fields },
    call,
  );
}

/** Waits for the end of a run. */
async function endOf(
  client: Client,
  { feedId, id }: Pick<FeedRun, 'feedId' | 'id'>,
  options: FeedOptions,
  signal: AbortSignal,
) {
  await follow(client.feeds.events(feedId, id, { signal }), options);
  const { requestId: _, ...run } = await client.feeds.getRun(feedId, id, { signal });
  return run;
}

/** Waits for the end of a run and prints it. */
async function finishRun(
  client: Client,
  started: FeedRun,
  options: FeedOptions,
  signal: AbortSignal,
): Promise<void> {
  const { feedId } = started;
  const run = await endOf(client, started, options, signal);
  print(options, run, `${feedId} ${formatRun(run)}`);
  if (run.held) say(options, `If that is right: selvage feed confirm ${feedId}`);
  else
    say(
      options,
      `The outcome of each row: selvage feed report ${feedId}\nThe feed with new links: selvage feed export ${feedId}`,
    );
  const { failed, rejected } = run.counts;
  if (run.status !== 'completed' || failed + rejected > 0) process.exitCode = EXIT.failed;
}

export const latestRun = ({ id, run }: Feed): FeedRun => {
  if (run) return run;
  throw new CliError(`${id} has not run yet`);
};

/** Waits for the end of a dry run and prints what it has counted. */
async function showPlan(
  client: Client,
  started: FeedRun,
  options: FeedOptions,
  signal: AbortSignal,
): Promise<void> {
  const run = await endOf(client, started, options, signal);
  print(options, run.plan ?? run, formatRun(run));
  if (run.plan && run.plan.loss.rows.lost > 0)
    say(options, `Compared with the last run ${formatLoss(run.plan.loss)}`);
  if (!run.plan) process.exitCode = EXIT.failed;
}

async function importFeed(source: string, options: ImportOptions, signal: AbortSignal) {
  const client = connectFeeds(options);
  const feed = await createFeed(client, source, options, signal);
  const { id } = feed;
  const run = latestRun(feed);
  if (options.detach) return print(options, { id, run: { id: run.id } }, id);
  if (options.dryRun) {
    await showPlan(client, run, options, signal);
    await client.feeds.delete(id, { signal });
    return;
  }
  say(options, id);
  await finishRun(client, run, options, signal);
}

interface RunOptions extends FeedOptions {
  dryRun?: true;
}

async function runFeed(
  id: string,
  file: string | undefined,
  options: RunOptions,
  signal: AbortSignal,
) {
  const client = connectFeeds(options);
  const { dryRun } = options;
  const body = file === undefined ? undefined : await readFeed(file);
  const run = await client.feeds.run(id, body, { signal, dryRun });
  await (dryRun ? showPlan : finishRun)(client, run, options, signal);
}

async function confirmRun(id: string, options: FeedOptions, signal: AbortSignal) {
  const client = connectFeeds(options);
  const { id: run } = latestRun(await client.feeds.get(id, { signal }));
  await finishRun(client, await client.feeds.confirmRun(id, run, { signal }), options, signal);
}

/** `none` removes what is set. */
const orNull = <T>(value: T): T | null => (value === 'none' ? null : value);

async function setFeed(id: string, options: ImportOptions, signal: AbortSignal): Promise<void> {
  const { format, mapping, schedule, webhook, access } = options;
  const image: FeedEdit['options'] = fieldsGiven(options, ['quality']);
  const isUnmapped = mapping?.preset === ('none' as FeedPreset);
  const changes: FeedEdit = {
    ...(format && { format }),
    ...(mapping && { mapping: isUnmapped ? null : mapping }),
    ...(Object.keys(image).length > 0 && { options: image }),
    ...(schedule && { schedule: orNull(schedule) }),
    ...(webhook && { webhook: webhook === 'none' ? null : { url: webhook } }),
    ...(access && { access: access === 'none' ? null : await readAccess(access) }),
  };
  if (Object.keys(changes).length === 0) throw usageError('Name what to change, such as --mapping');
  const { requestId: _, ...feed } = await connectFeeds(options).feeds.edit(id, changes, { signal });
  print(options, feed, `${id} changed; the next run has it`);
}

async function inspectFeed(file: string, options: ImportOptions, signal: AbortSignal) {
  const { format, mapping } = options;
  const reading = { ...(format && { format }), ...(mapping && { mapping }) };
  const body = { ...(await readFeed(file)), ...reading, fileName: basename(file) };
  const { requestId: _, ...found } = await connectFeeds(options).feeds.inspect(body, { signal });
  print(options, found, inspectionText(found));
  if (found.problem || found.sample.length === 0) process.exitCode = EXIT.failed;
}

/** How a feed is read, if that is not recognised. */
const withReadingOptions = (command: Command): Command =>
  command
    .option('--format <format>', 'rss, atom, xml, tsv, csv, ndjson or json; detected by default')
    .option('--mapping <mapping>', 'a preset such as shopify, or JSON of columns', parseMapping);

const withAccess = (command: Command): Command =>
  command.option(
    '--access <file>',
    'JSON with what protected servers need: username, password, headers, origin, userAgent, referer',
  );

/** `import`, which reads a URL or a file. */
export function importCommand(signal: AbortSignal): Command {
  return withImageOptions(withAccess(withReadingOptions(new Command('import'))), optionsAt('feeds'))
    .description('import a feed from a URL or a file, and wait for its first run')
    .argument(
      '<source>',
      'a URL, or a file: CSV, TSV, XML or JSON of any kind, also as gzip or zip',
    )
    .addOption(operationsOption())
    .option('--webhook <url>', 'receives an event at the end of each run')
    .option('--background <colour>', 'behind the subjects: #rrggbb, white or none')
    .option('--schedule <cron>', 'when to read the URL again, UTC: "30 4 * * *"')
    .option('--detach', 'do not wait: print the id')
    .option('--dry-run', 'only count: products, links, photos and what they cost at most')
    .action((source: string, options: ImportOptions) => importFeed(source, options, signal));
}

export const setCommand = (signal: AbortSignal): Command =>
  withImageOptions(withAccess(withReadingOptions(new Command('set'))), ['quality'])
    .description('change how a feed is read, when, and who is told; "none" removes it')
    .argument('<id>', 'the feed')
    .option('--webhook <url>', 'receives an event at the end of each run')
    .option('--schedule <cron>', 'when to read the URL, UTC')
    .action((id: string, options: ImportOptions) => setFeed(id, options, signal));

export const inspectCommand = (signal: AbortSignal): Command =>
  withReadingOptions(new Command('inspect'))
    .description('what is recognised in a file, a sample, and what is missing')
    .argument('<file>', 'the feed')
    .action((file: string, options: ImportOptions) => inspectFeed(file, options, signal));

export const runCommand = (signal: AbortSignal): Command =>
  new Command('run')
    .description('import a feed again, and wait; unchanged images cost nothing')
    .argument('<id>', 'the feed')
    .argument('[file]', 'the current feed, if it has no URL')
    .option('--dry-run', 'only count what the run would do')
    .action((id: string, file: string | undefined, options: RunOptions) =>
      runFeed(id, file, options, signal),
    );

export const confirmCommand = (signal: AbortSignal): Command =>
  new Command('confirm')
    .description('let a held run go on, though it loses many products or pictures, and wait')
    .argument('<id>', 'the feed')
    .action((id: string, options: FeedOptions) => confirmRun(id, options, signal));
