import { Command, InvalidArgumentError } from 'commander';
import { withImageOptions } from '../images/image-options.ts';
import type { RemoveOptions } from '../images/remove-photos.ts';

const MOST_JOBS = 64;

function parseJobs(text: string): number {
  const jobs = Number(text);
  if (Number.isInteger(jobs) && jobs >= 1 && jobs <= MOST_JOBS) return jobs;
  throw new InvalidArgumentError(`It is 1 to ${MOST_JOBS}.`);
}

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
    .description('cut subjects out of photos: photo.jpg becomes photo.png')
    .argument('<photos...>', 'files and folders; "-" reads standard input, writes standard output')
    .option('-o, --output <folder>', 'where cut-outs go; nothing is written outside it')
    .option('--force', 'replace files that are there already')
    .option('--jobs <n>', 'photos at once; 2 at a server, as many as cores with --local', parseJobs)
    .option('--local', 'on this machine, without a server')
    .addHelpText('after', EXAMPLES)
    .action(async (paths: string[], options: RemoveOptions) => {
      const { removePhotos } = await import('../images/remove-photos.ts');
      await removePhotos(paths, options, signal);
    });
