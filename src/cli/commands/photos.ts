import { Command } from 'commander';
import type { BatchOptions } from '../batches/run-batch.ts';
import { qualityOption, withImageOptions } from '../images/image-options.ts';
import type { RefineOptions } from '../images/refine-photo.ts';
import type { RemoveOptions } from '../images/remove-photos.ts';
import type { SplitOptions } from '../images/split-photos.ts';
import type { WatchOptions } from '../watch/watch-folder.ts';
import { operationsOption, parseJobs } from './arguments.ts';

const REMOVE_EXAMPLES = `
Examples:
  $ selvage remove photo.jpg -o cut-outs/
  $ selvage remove photos/ -o cut-outs/ --jobs 4
  $ selvage remove photo.jpg -o shop/ --background white --crop --crop-margin 5% --format jpeg
  $ selvage remove - < photo.jpg > photo.png
  $ selvage remove --local photos/*.jpg -o cut-outs/`;

/** `remove photo.jpg… -o folder` */
export const removeCommand = (signal: AbortSignal): Command =>
  withImageOptions(new Command('remove'))
    .description('remove the background of photos: photo.jpg becomes photo.png')
    .argument('<photos...>', 'files and folders; "-" reads standard input, writes standard output')
    .option('-o, --output <folder>', 'output folder; nothing is written outside it')
    .option('--force', 'replace existing files')
    .option(
      '--jobs <n>',
      'concurrency; by default 2 with a server, the number of cores with --local',
      parseJobs,
    )
    .option('--local', 'on this machine, without a server')
    .addHelpText('after', REMOVE_EXAMPLES)
    .action(async (paths: string[], options: RemoveOptions) =>
      (await import('../images/remove-photos.ts')).removePhotos(paths, options, signal),
    );

const SPLIT_EXAMPLES = `
Examples:
  $ selvage split outfit.jpg -o garments/
  $ selvage split photos/ -o garments/ --wardrobe wardrobe.json
  $ selvage outfits --wardrobe wardrobe.json --temp 12`;

/** `split outfit.jpg… -o folder` */
export const splitCommand = (signal: AbortSignal): Command =>
  new Command('split')
    .description(
      'separate the garments of outfits: photo.jpg becomes photo.json, photo-0-coat.png, …',
    )
    .argument('<photos...>', 'files and folders')
    .option('-o, --output <folder>', 'output folder; nothing is written outside it')
    .option('--force', 'replace existing files')
    .option('--wardrobe <file>', 'collect the wardrobe items of all photos, for "selvage outfits"')
    .addOption(qualityOption())
    .option('--locale <language>', 'language of the labels: en de fr es it nl')
    .option('--jobs <n>', 'concurrency; by default 2', parseJobs)
    .addHelpText('after', SPLIT_EXAMPLES)
    .action(async (paths: string[], options: SplitOptions) =>
      (await import('../images/split-photos.ts')).splitPhotos(paths, options, signal),
    );

const REFINE_EXAMPLES = `
strokes.json, pixels of the upright photo:
  [{"mode": "add", "radius": 12, "points": [[310, 220], [340, 400]]}]

Example:
  $ selvage refine photo.jpg --alpha photo.png --strokes strokes.json -o mended.png`;

/** `refine photo.jpg --alpha photo.png --strokes strokes.json -o mended.png` */
export const refineCommand = (signal: AbortSignal): Command =>
  new Command('refine')
    .description('mend a cut-out with strokes of a brush')
    .argument('<photo>', 'the photo of which the cut-out was made')
    .requiredOption('--alpha <file>', 'PNG of the size of the upright photo, such as its cut-out')
    .requiredOption('--strokes <file>', 'JSON: which strokes add to the subject, and which erase')
    .requiredOption('-o, --output <file>', 'the mended cut-out, a PNG')
    .option('--force', 'replace an existing file')
    .addHelpText('after', REFINE_EXAMPLES)
    .action(async (photo: string, options: RefineOptions) =>
      (await import('../images/refine-photo.ts')).refinePhoto(photo, options, signal),
    );

const WATCH_EXAMPLES = `
Examples:
  $ selvage watch incoming/ --to cut-outs/
  $ selvage watch incoming/ --to shop/ --background white --format jpeg --json
  $ selvage watch incoming/ --to cut-outs/ --once`;

/** `watch folder --to folder` */
export const watchCommand = (signal: AbortSignal): Command =>
  withImageOptions(new Command('watch'))
    .description('cut out the photos of a folder, each once, also those that come later')
    .argument('<folder>', 'folder to watch, with its subfolders')
    .option('--to <folder>', 'output folder; nothing is written outside it')
    .option('--force', 'replace existing files')
    .option('--once', 'end when the photos that are there are done')
    .option('--jobs <n>', 'concurrency; by default 2', parseJobs)
    .addHelpText('after', WATCH_EXAMPLES)
    .action(async (folder: string, options: WatchOptions) =>
      (await import('../watch/watch-folder.ts')).watchFolder(folder, options, signal),
    );

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
    .action(async (source: string | undefined, options: BatchOptions) =>
      (await import('../batches/run-batch.ts')).runBatch(source, options, signal),
    );
