import { availableParallelism } from 'node:os';
import { cutOutOptionsOf } from '../../output/request.ts';
import { connect } from '../connection/connect.ts';
import type { PlaceOptions } from '../connection/server-profile.ts';
import { endsAll } from '../terminal/error-report.ts';
import { CliError, EXIT, usageError } from '../terminal/exit.ts';
import { inParallel } from '../terminal/in-parallel.ts';
import type { Output } from '../terminal/output.ts';
import { save } from '../terminal/save.ts';
import { type Cutter, localCutter, serverCutter } from './cutters.ts';
import type { ImageOptions } from './image-options.ts';
import { extensionOf, type ImageWish, readImageOptions } from './image-request.ts';
import { type Photo, planPhotos } from './photos.ts';
import { throughStandardStreams } from './pipe.ts';
import { createTally } from './tally.ts';

export interface RemoveOptions extends ImageOptions, PlaceOptions, Output {
  output?: string;
  force?: true;
  local?: true;
  jobs?: number;
}

/** Requests under way at once where nothing is said; a server has other clients too. */
const SERVER_JOBS = 2;
/** Each local one has the model in memory for itself. */
const LOCAL_JOBS = Math.min(8, availableParallelism());

/** Cuts out one photo into its place. Throws only what ends all. */
const removeOne =
  (cutter: Cutter, tally: ReturnType<typeof createTally>, folder: string, force: boolean) =>
  async (photo: Photo, signal: AbortSignal): Promise<void> => {
    const { input, output, clash } = photo;
    try {
      if (clash) throw new CliError(`${output} is already the cut-out of ${clash}`);
      const make = (unfinished: string) => cutter.cutOut(input, unfinished, signal);
      tally.succeeded(photo, await save(output, { folder, force }, make));
    } catch (error) {
      signal.throwIfAborted();
      if (endsAll(error)) throw error;
      tally.failed(photo, error);
    }
  };

async function openCutter(
  options: RemoveOptions,
  wish: ImageWish,
  jobs: number,
  signal: AbortSignal,
): Promise<Cutter> {
  if (!options.local) return serverCutter(connect(options), wish);
  if (wish.backgroundImageUrl)
    throw usageError('--local fetches nothing: --background-image takes a file');
  return localCutter(jobs, cutOutOptionsOf(wish), options.backgroundImage, signal);
}

async function removeFiles(paths: string[], options: RemoveOptions, signal: AbortSignal) {
  const { output: folder, force = false } = options;
  if (!folder) throw usageError('Say where cut-outs go: -o <folder>');
  const wish = await readImageOptions(options);
  const photos = await planPhotos(paths, folder, extensionOf(wish));
  const usual = options.local ? LOCAL_JOBS : SERVER_JOBS;
  const jobs = Math.min(options.jobs ?? usual, photos.length);
  const cutter = await openCutter(options, wish, jobs, signal);
  const tally = createTally(photos.length, options);
  try {
    await inParallel(photos.values(), jobs, signal, removeOne(cutter, tally, folder, force));
  } finally {
    await cutter.close();
    if (tally.end() > 0) process.exitCode = EXIT.failed;
  }
}

async function removeStandardInput(options: RemoveOptions, signal: AbortSignal) {
  if (options.output) throw usageError('"-" goes to standard output: leave out -o');
  if (options.json) throw usageError('"-" answers with the picture itself: leave out --json');
  if (process.stdout.isTTY) throw usageError('A picture is not for a terminal: add > photo.png');
  const cutter = await openCutter(options, await readImageOptions(options), 1, signal);
  try {
    await throughStandardStreams(signal, (input, output) => cutter.cutOut(input, output, signal));
  } finally {
    await cutter.close();
  }
}

/** Cuts out files and folders into a folder, or standard input to standard output. */
export async function removePhotos(
  paths: string[],
  options: RemoveOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!paths.includes('-')) return removeFiles(paths, options, signal);
  if (paths.length > 1) throw usageError('"-" stands alone');
  return removeStandardInput(options, signal);
}
