import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from '../../../packages/client/src/client.ts';
import type { CutOutOptions } from '../../output/options.ts';
import { toCutOutOptions, withRulePack } from '../../output/request.ts';
import { type CutOutReview, reviewTexts } from '../../output/review.ts';
import { BUILT_IN_PACKS } from '../../output/rules/pack.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { isFatal } from '../terminal/error-report.ts';
import { CliError, usageError } from '../terminal/exit.ts';
import { forEachParallel } from '../terminal/for-each-parallel.ts';
import type { Output } from '../terminal/output.ts';
import type { ImageOptions } from './image-options.ts';
import {
  extensionOf,
  type ImageRequest,
  readImageOptions,
  withPresetFormat,
} from './image-request.ts';
import { PhotoLedger } from './ledger.ts';
import { startLocalEngine } from './local-engine.ts';
import { PhotoSummary } from './photo-summary.ts';
import { type Photo, planPhotos, readPicture, withReadableFile } from './photos.ts';

/**
 * Reads standard input to a file, and writes a file to standard output when it is complete.
 * @param convert writes the output file
 */
async function withStandardStreams(
  signal: AbortSignal,
  convert: (input: string, output: string) => Promise<unknown>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'selvage-'));
  const input = join(folder, 'input');
  const output = join(folder, 'output');
  try {
    await pipeline(process.stdin, createWriteStream(input), { signal });
    await convert(input, output);
    await pipeline(createReadStream(output), process.stdout, { signal, end: false });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is reported of a cut-out, apart from the image. */
interface CutOutInfo {
  bytes: number;
  model?: string | undefined;
  /** 0 to 1. */
  confidence?: number | undefined;
  review?: CutOutReview | undefined;
  /** Whether it meets the rules, and the ids of those that it does not. */
  rules?: { passed: boolean; failed: string[] };
  /** The photo kept its own alpha. */
  alpha?: 'kept' | undefined;
  requestId?: string;
}

/** Removes the background of one file and writes another. */
interface BackgroundRemover {
  removeBackground(input: string, output: string, signal: AbortSignal): Promise<CutOutInfo>;
  close(): Promise<void>;
}

/** Uses a server. */
const serverRemover = (client: Client, request: ImageRequest): BackgroundRemover => ({
  async removeBackground(input, output, signal) {
    const bytes = await readPicture(input);
    const response = await client.removeBackground(bytes, { ...request, signal });
    const { image, model, confidence, review, rules, alpha, requestId } = response;
    await writeFile(output, image);
    const info = { bytes: image.length, model, confidence, review, requestId };
    return { ...info, ...(rules && { rules }), ...(alpha && { alpha }) };
  },
  close: async () => {},
});

/**
 * Uses this machine, without a server.
 * @param background path of an image to put behind the subject
 * @throws CliError if the model cannot be loaded
 */
async function localRemover(
  slots: number,
  options: CutOutOptions,
  background: string | undefined,
  signal: AbortSignal,
): Promise<BackgroundRemover> {
  const engine = await startLocalEngine(slots, signal);
  const backgroundField = background === undefined ? {} : { background };
  return {
    async removeBackground(input, output) {
      const { rules, ...done } = await withReadableFile(input, `${output}.input`, (file) =>
        engine.cutOut({ input: file, output, options, ...backgroundField }),
      );
      if (!rules) return done;
      const failed = rules.verdicts.filter(({ passed }) => !passed).map(({ id }) => id);
      return { ...done, rules: { passed: rules.passed, failed } };
    },
    close: engine.close,
  };
}

export interface RemoveOptions extends ImageOptions, ServerOptions, Output {
  output?: string;
  force?: true;
  local?: true;
  jobs?: number;
}

/** Default number of concurrent requests; a server has other clients too. */
const SERVER_JOBS = 2;
/** Every local process holds the model in memory. */
const LOCAL_JOBS = Math.min(8, availableParallelism());

const checkOf = ({ review }: CutOutInfo): string | undefined =>
  review?.needed ? reviewTexts(review).join('. ') : undefined;

/** Removes the background of one photo. Throws only fatal errors. */
const removeOne =
  (remover: BackgroundRemover, summary: PhotoSummary, ledger: PhotoLedger) =>
  async (photo: Photo, signal: AbortSignal): Promise<void> => {
    const { input, output, conflict } = photo;
    try {
      if (conflict) throw new CliError(`${output} is already the cut-out of ${conflict}`);
      if (await ledger.isDone(photo)) return summary.skipped(photo);
      const info = await ledger.make(photo, (temporary) =>
        remover.removeBackground(input, temporary, signal),
      );
      summary.succeeded(photo, info, checkOf(info));
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      summary.failed(photo, error);
    }
  };

/** Returns the options for this machine, which has only the rule packs that are built in. @throws CliError */
function localOptions(request: ImageRequest): CutOutOptions {
  const options = toCutOutOptions(request);
  if (options.rules === undefined) return options;
  const pack = BUILT_IN_PACKS.get(options.rules);
  if (pack) return withRulePack(options, pack);
  throw usageError(`--rules: --local has ${[...BUILT_IN_PACKS.keys()].join(', ')}`);
}

async function openRemover(
  options: RemoveOptions,
  request: ImageRequest,
  jobs: number,
  signal: AbortSignal,
): Promise<BackgroundRemover> {
  if (!options.local) return serverRemover(connect(options), request);
  if (request.preset !== undefined) throw usageError('--preset needs a server; leave out --local');
  if (request.backgroundImageUrl)
    throw usageError('--local downloads nothing: --background-image must be a file');
  return localRemover(jobs, localOptions(request), options.backgroundImage, signal);
}

async function removeFiles(paths: string[], options: RemoveOptions, signal: AbortSignal) {
  const { output: folder, force = false } = options;
  if (!folder) throw usageError('Name the output folder: -o <folder>');
  const request = await withPresetFormat(await readImageOptions(options), options);
  const { photos, leftOut } = await planPhotos(paths, folder, extensionOf(request));
  const defaultJobs = options.local ? LOCAL_JOBS : SERVER_JOBS;
  const jobs = Math.min(options.jobs ?? defaultJobs, photos.length);
  const remover = await openRemover(options, request, jobs, signal);
  const summary = new PhotoSummary(photos.length, leftOut, options);
  const ledger = await PhotoLedger.open('remove', folder, { request, force });
  try {
    await forEachParallel(photos.values(), jobs, signal, removeOne(remover, summary, ledger));
  } finally {
    await Promise.all([remover.close(), ledger.close()]);
    summary.end((done) => `${done} cut out`);
  }
}

async function removeStandardInput(options: RemoveOptions, signal: AbortSignal) {
  if (options.output) throw usageError('"-" writes to standard output: leave out -o');
  if (options.json) throw usageError('"-" writes the image itself: leave out --json');
  if (process.stdout.isTTY) throw usageError('Standard output is a terminal: add > photo.png');
  const remover = await openRemover(options, await readImageOptions(options), 1, signal);
  try {
    await withStandardStreams(signal, (input, output) =>
      remover.removeBackground(input, output, signal),
    );
  } finally {
    await remover.close();
  }
}

/** Removes the background of files and folders, or of standard input. */
export async function removePhotos(
  paths: string[],
  options: RemoveOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!paths.includes('-')) return removeFiles(paths, options, signal);
  if (paths.length > 1) throw usageError('"-" must be the only argument');
  return removeStandardInput(options, signal);
}
