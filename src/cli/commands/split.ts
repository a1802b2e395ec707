import { Command } from 'commander';
import { qualityOption } from '../images/image-options.ts';
import type { SplitOptions } from '../images/split-photos.ts';
import { parseJobs } from './arguments.ts';

const EXAMPLES = `
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
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: SplitOptions) => {
      const { splitPhotos } = await import('../images/split-photos.ts');
      await splitPhotos(paths, options, signal);
    });
