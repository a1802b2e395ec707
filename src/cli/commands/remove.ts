import { Command } from 'commander';
import { withImageOptions } from '../images/image-options.ts';
import type { RemoveOptions } from '../images/remove-photos.ts';
import { parseJobs } from './arguments.ts';

const EXAMPLES = `
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
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: RemoveOptions) => {
      const { removePhotos } = await import('../images/remove-photos.ts');
      await removePhotos(paths, options, signal);
    });
