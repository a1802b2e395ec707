import { Command } from 'commander';
import type { BatchOptions } from '../batches/run-batch.ts';
import { withImageOptions } from '../images/image-options.ts';
import { operationsOption } from './operations-option.ts';

const EXAMPLES = `
Examples:
  $ selvage batch photos/ -o cut-outs/
  $ selvage batch catalogue.csv -o cut-outs/ --operations remove-background,classify
  $ selvage batch selfies/ -o garments/ --operations separate
  $ selvage batch catalogue.ndjson --detach --json
  $ selvage batch --resume batch_… -o cut-outs/

A file has a row for each image: NDJSON of {"customId", "imageUrl" or "imageBase64"}, or CSV with the
columns custom_id and image_url. Files are named after their row: <row>.png is its cut-out, with "separate"
<row>-0-coat.png, … its garments and <row>.json what they are. <batch>.results.ndjson,
<batch>.errors.ndjson and <batch>.manifest.ndjson report every row.`;

/** `batch photos/ -o folder` */
export const batchCommand = (signal: AbortSignal): Command =>
  withImageOptions(new Command('batch'))
    .description('process many images on a server: upload, wait, download')
    .argument('[source]', 'a .ndjson or .csv file with a row for each image, or a folder of photos')
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
