import { Command } from 'commander';
import type { BatchOptions } from '../batches/run-batch.ts';
import { withImageOptions } from '../images/image-options.ts';
import { operationsOption } from './arguments.ts';

const EXAMPLES = `
Examples:
  $ selvage batch photos/ -o cut-outs/
  $ selvage batch catalogue.csv -o cut-outs/ --operations remove-background,classify
  $ selvage batch selfies/ -o garments/ --operations separate
  $ selvage batch catalogue.ndjson --detach --json
  $ selvage batch --resume batch_… -o cut-outs/

A file is what a feed may be: CSV, TSV, XML or JSON with ids and image links, also as gzip or zip; or NDJSON of
{"customId", "imageUrl" or "imageBase64"}. Files are named after their row: <row>.png is its cut-out, with "separate"
<row>-0-coat.png, … its garments and <row>.json what they are. <batch>.results.ndjson,
<batch>.errors.ndjson and <batch>.manifest.ndjson report every row.`;

/** `batch photos/ -o folder` */
export const batchCommand = (signal: AbortSignal): Command =>
  withImageOptions(new Command('batch'))
    .description('process many images on a server: upload, wait, download')
    .argument(
      '[source]',
      'a file with rows, such as a feed or an export of a shop, or a folder of photos',
    )
    .option('-o, --output <folder>', 'output folder')
    .option('--force', 'replace existing files')
    .addOption(operationsOption())
    .option('--name <text>', 'name of the batch')
    .option('--detach', 'do not wait: print the id, fetch results later with --resume')
    .option('--resume <id>', 'continue a batch: uploading, waiting or downloading')
    .addHelpText('after', EXAMPLES)
    .action(async (source: string | undefined, options: BatchOptions) => {
      const { runBatch } = await import('../batches/run-batch.ts');
      await runBatch(source, options, signal);
    });
