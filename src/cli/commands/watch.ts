import { Command } from 'commander';
import { withImageOptions } from '../images/image-options.ts';
import type { WatchOptions } from '../watch/watch-folder.ts';
import { parseJobs } from './arguments.ts';

const EXAMPLES = `
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
    .addHelpText('after', EXAMPLES)
    .action(async (folder: string, options: WatchOptions) => {
      const { watchFolder } = await import('../watch/watch-folder.ts');
      await watchFolder(folder, options, signal);
    });
