import { createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import type { FilledColumn } from '../../../packages/client/src/client.ts';
import { save } from '../terminal/files.ts';
import { print, table } from '../terminal/output.ts';
import {
  confirmCommand,
  connectFeeds,
  type FeedOptions,
  importCommand,
  inspectCommand,
  latestRun,
  runCommand,
  setCommand,
} from './feed-import.ts';
import { toTableRows } from './feed-text.ts';

interface ExportOptions extends FeedOptions {
  output?: string;
  force?: true;
  run?: string;
  columns?: FilledColumn[];
}

async function exportFeed(id: string, options: ExportOptions, signal: AbortSignal): Promise<void> {
  const { output, force = false, run, columns } = options;
  const { body } = await connectFeeds(options).feeds.export(id, run, { signal, columns });
  if (output === undefined) return pipeline(body, process.stdout, { signal, end: false });
  await save(output, { folder: dirname(output), force }, (temporary) =>
    pipeline(body, createWriteStream(temporary), { signal }),
  );
}

async function reportFeed(id: string, options: ExportOptions, signal: AbortSignal): Promise<void> {
  const client = connectFeeds(options);
  const run = options.run ?? latestRun(await client.feeds.get(id, { signal })).id;
  const rows: string[][] = [];
  for await (const line of client.feeds.report(id, run, { signal })) {
    if (options.json) print(options, line, '');
    else rows.push(...toTableRows(line));
  }
  if (!options.json)
    print(options, rows, table(['line', 'id', 'image', 'outcome', 'reason'], rows));
}

async function listFeeds(options: FeedOptions, signal: AbortSignal): Promise<void> {
  const feeds = await connectFeeds(options).feeds.list({ signal });
  const rows = feeds.map(({ id, source, schedule = '', run }) => [
    id,
    'url' in source ? source.url : (source.fileName ?? 'file'),
    schedule,
    run?.status ?? '',
  ]);
  print(options, feeds, table(['feed', 'source', 'schedule', 'latest run'], rows));
}

/** Cancels the run that is under way. */
async function cancelFeed(id: string, options: FeedOptions, signal: AbortSignal): Promise<void> {
  const client = connectFeeds(options);
  const run = latestRun(await client.feeds.get(id, { signal }));
  const canceled = await client.feeds.cancelRun(id, run.id, { signal });
  print(options, canceled, `${id} ${canceled.status}`);
}

async function deleteFeed(id: string, options: FeedOptions, signal: AbortSignal): Promise<void> {
  const receipt = await connectFeeds(options).feeds.delete(id, { signal });
  print(options, receipt, `${id} deleted`);
}

const EXAMPLES = `
Examples:
  $ selvage feed import https://shop.example/feed.xml --background white --schedule "30 4 * * *"
  $ selvage feed inspect products_export.csv
  $ selvage feed import products.csv.gz
  $ selvage feed import stock.xml --mapping '{"items":"stock/article","id":"@nr","image":"photo"}'
  $ selvage feed report feed_…
  $ selvage feed export feed_… -o feed-with-cut-outs.csv
  $ selvage feed run feed_… feed.csv`;

/** `feed import|set|inspect|list|run|confirm|cancel|delete|report|export` */
export function feedCommand(signal: AbortSignal): Command {
  const feed = new Command('feed')
    .description("retailers' feeds: the same feed with links to cut-outs")
    .addHelpText('after', EXAMPLES);
  const ofFeed = (name: string, text: string, run: typeof exportFeed): Command =>
    new Command(name)
      .description(text)
      .argument('<id>', 'the feed')
      .action((id: string, options: ExportOptions) => run(id, options, signal));
  const list = new Command('list')
    .description('your feeds, newest first')
    .action((options: FeedOptions) => listFeeds(options, signal));
  const all = [
    ...[importCommand(signal), setCommand(signal), inspectCommand(signal), list],
    ofFeed('cancel', 'cancel the run that is under way', cancelFeed),
    ofFeed('delete', 'delete a feed with its images and runs', deleteFeed),
    ...[runCommand(signal), confirmCommand(signal)],
    ofFeed('report', 'the outcome of each row', reportFeed).option(
      '--run <id>',
      'the run; by default the latest',
    ),
    ofFeed('export', 'the feed with links to the new images', exportFeed)
      .option('--run <id>', 'the run; by default the latest completed one')
      .option(
        '--columns <list>',
        'columns to fill from the classification: google_product_category,color,material',
        (text: string) => text.split(',').map((name) => name.trim()),
      )
      .option('-o, --output <file>', 'output file; standard output by default')
      .option('--force', 'replace an existing file'),
  ];
  for (const command of all) feed.addCommand(command);
  return feed;
}
