import { Command } from 'commander';
import type { BatchOptions } from '../batches/run-batch.ts';
import { withImageOptions } from '../images/image-options.ts';
import { operationsOption } from './operations-option.ts';

const EXAMPLES = `
Examples:
  $ selvage batch photos/ -o cut-outs/
  $ selvage batch catalogue.csv -o cut-outs/ --operations remove-background,classify
  $ selvage batch catalogue.ndjson --detach --json
  $ selvage batch --resume batch_… -o cut-outs/

A file has a row for each image: NDJSON of {"customId", "imageUrl" or "imageBase64"}, or CSV with the
columns custom_id and image_url. A cut-out is called as its row; <batch>.results.ndjson,
<batch>.errors.ndjson and <batch>.manifest.ndjson tell of every row.`;

/** `batch photos/ -o folder` */
export const batchCommand = (signal: AbortSignal): Command =>
  withImageOptions(new Command('batch'))
    .description('work on many images at a server: send, wait, download')
    .argument('[source]', 'a .ndjson or .csv with a row for each image, or a folder of photos')
    .option('-o, --output <folder>', 'where results go')
    .option('--force', 'replace files that are there already')
    .addOption(operationsOption())
    .option('--name <text>', 'what the batch is called')
    .option('--detach', 'do not wait: print the id, fetch results later with --resume')
    .option('--resume <id>', 'go on with a batch: sending, waiting or downloading')
    .addHelpText('after', EXAMPLES)
    .action(async (source: string | undefined, options: BatchOptions) => {
      const { runBatch } = await import('../batches/run-batch.ts');
      await runBatch(source, options, signal);
    });
