import { createHash } from 'node:crypto';
import { mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Job } from '../../../packages/client/src/client.ts';
import { reviewTexts } from '../../output/review.ts';
import { hasCode } from '../../platform/system-error.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import type { ImageOptions } from '../images/image-options.ts';
import type { ImageRequest } from '../images/image-request.ts';
import { extensionOf, readImageOptions, withPresetFormat } from '../images/image-request.ts';
import { type FileVersion, isSameVersion, type Ledger, openLedger } from '../images/ledger.ts';
import { photosUnder, readPicture, withExtension } from '../images/photos.ts';
import { errorText, problemLine, toErrorReport, toExitCode } from '../terminal/error-report.ts';
import { save } from '../terminal/files.ts';
import { forEachParallel } from '../terminal/for-each-parallel.ts';
import { CliError, EXIT, type Output, print, say, usageError } from '../terminal/output.ts';

export interface WatchOptions extends ImageOptions, ServerOptions, Output {
  to?: string;
  force?: true;
  once?: true;
  jobs?: number;
}

const DEFAULT_JOBS = 2;
/** The record of what was done, in the output folder. */
const LEDGER = 'selvage-watch.ndjson';
/** A file is complete once it is the same in two listings. */
const LISTING_MILLIS = 1000;
/** Listing takes at most a tenth of the time. */
const MAX_LISTING_SHARE = 0.1;
const MAX_PAUSE_MILLIS = 60_000;
/** A job may wait for those of others; after this it is asked for again. */
const JOB_MILLIS = 3_600_000;
/** No service accepts as much; larger files are not read. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Where photos come from and cut-outs go to. */
interface Folders {
  folder: string;
  to: string;
}

const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/**
 * Resolves the folders, links included. Creates the output folder.
 * @throws CliError if one is missing, or if cut-outs would be photos to cut out again
 */
async function openFolders(folder: string, { to }: WatchOptions): Promise<Folders> {
  if (!to) throw usageError('Name the output folder: --to <folder>');
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw usageError(`There is no folder ${folder}`);
  await mkdir(to, { recursive: true });
  const [from, into] = await Promise.all([realpath(folder), realpath(to)]);
  if (isInside(from, into)) {
    throw usageError(`${to} is ${folder} or around it: cut-outs would be cut out again`);
  }
  return { folder: from, to: into };
}

/** Lists the photos with their versions. A file that disappears meanwhile is left out. */
async function listVersions({ folder, to }: Folders): Promise<Map<string, FileVersion>> {
  const versions = new Map<string, FileVersion>();
  for (const path of await photosUnder(folder, resolve(to))) {
    const found = await stat(path).catch(() => undefined);
    if (!found) continue;
    const file = relative(folder, path);
    versions.set(file, { file, sizeBytes: found.size, modifiedMillis: found.mtimeMs });
  }
  return versions;
}

/** A failure that trying again would not change, until the file changes. */
const isOfFile = (error: unknown): boolean => {
  const report = toErrorReport(error);
  if (!report) return error instanceof CliError;
  const { status = 0 } = report;
  return status >= 400 && status < 500 && ![401, 403, 408, 409, 429].includes(status);
};

/** A failure that no waiting mends, such as a wrong key. */
const isFinal = (error: unknown): boolean =>
  toExitCode(error) === EXIT.notAllowed || toExitCode(error) === EXIT.usage;

/** A job that ended without a cut-out. */
class JobFailed extends CliError {
  readonly problem: Job['problem'];

  constructor({ problem, status }: Job) {
    super(problem ? problemLine(problem) : `The job was ${status}`);
    this.problem = problem;
  }
}

interface Watch {
  folders: Folders;
  options: WatchOptions;
  request: ImageRequest;
  client: Client;
  ledger: Ledger;
}

/** The same file to the same folder with the same options is the same job, whoever asks and however often. */
function keyOf({ folders, request }: Watch, { file }: FileVersion, image: Uint8Array): string {
  const { backgroundImage, ...rest } = request;
  const hash = createHash('sha256').update(JSON.stringify([folders.to, file, rest]));
  if (backgroundImage) hash.update(backgroundImage);
  return hash.update(image).digest('hex');
}

async function readPhoto({ folders: { folder } }: Watch, version: FileVersion) {
  if (version.sizeBytes <= MAX_FILE_BYTES) return readPicture(join(folder, version.file));
  throw new CliError(`${version.file} has more than ${MAX_FILE_BYTES} bytes`);
}

/** Runs a job to its end. @throws JobFailed with its problem */
async function runJob(watch: Watch, version: FileVersion, signal: AbortSignal): Promise<Job> {
  const image = await readPhoto(watch, version);
  const { backgroundImage, ...options } = watch.request;
  const background = backgroundImage && { backgroundImage };
  const idempotencyKey = keyOf(watch, version, image);
  const { jobs } = watch.client;
  const created = await jobs.create({ image, options, ...background }, { signal, idempotencyKey });
  const job = await jobs.wait(created.id, { signal, timeoutMillis: JOB_MILLIS });
  if (job.status === 'succeeded') return job;
  throw new JobFailed(job);
}

/**
 * Cuts out one file. The ledger names it before its output exists, so that a later run can tell whose output it is.
 * @throws whatever failed
 */
async function cutOut(watch: Watch, version: FileVersion, signal: AbortSignal): Promise<void> {
  const { folders, options, request, client, ledger } = watch;
  const { file } = version;
  const output = withExtension(file, extensionOf(request));
  const holder = ledger.claim(output, file);
  if (holder !== file) throw new CliError(`${output} is already the cut-out of ${holder}`);
  const force = (options.force ?? false) || ledger.makerOf(output) === file;
  const job = await runJob(watch, version, signal);
  const path = join(folders.to, output);
  const write = async (temporary: string) => {
    await ledger.append({ ...version, status: 'started', output });
    const { image } = await client.jobs.result(job.id, { signal });
    await writeFile(temporary, image);
  };
  await save(path, { folder: folders.to, force }, write);
  const { bytes, sha256, model, confidence, review } = job.results?.cutout ?? {};
  const about = { bytes, sha256, model, confidence, review };
  const entry = { ...version, status: 'succeeded' as const, output, ...about };
  await ledger.append(entry);
  print(options, entry, `${file} -> ${output}`);
  if (review?.needed) say(options, `${file}: please check: ${reviewTexts(review).join('. ')}.`);
  await client.jobs.delete(job.id, { signal }).catch(() => {}); // it expires by itself
}

async function noteFailure(watch: Watch, version: FileVersion, error: unknown): Promise<void> {
  const { ledger, options, request } = watch;
  const output = withExtension(version.file, extensionOf(request));
  const reported = error instanceof JobFailed ? error.problem : toErrorReport(error);
  const problem = reported ?? { detail: errorText(error) };
  const entry = { ...version, status: 'failed' as const, output, problem };
  ledger.release(output, version.file);
  await ledger.append(entry);
  console.error(`${version.file}: ${errorText(error)}`);
  if (options.json) print(options, entry, '');
}

/** What a pass over the files came to. */
interface Pass {
  done: number;
  failed: number;
  /** Why it stopped before its end; waiting may help. */
  obstacle?: unknown;
}

/** Cuts out files until all are done, or until something fails that concerns them all. */
async function runPass(
  watch: Watch,
  versions: readonly FileVersion[],
  signal: AbortSignal,
): Promise<Pass> {
  const pass: Pass = { done: 0, failed: 0 };
  const work = async (version: FileVersion, either: AbortSignal): Promise<void> => {
    if (pass.obstacle !== undefined) return;
    try {
      await cutOut(watch, version, either);
      pass.done++;
    } catch (error) {
      either.throwIfAborted();
      if (isFinal(error)) throw error;
      if (isOfFile(error)) {
        await noteFailure(watch, version, error);
        pass.failed++;
      } else if (!hasCode(error, 'ENOENT')) pass.obstacle = error;
    }
  };
  const { jobs = DEFAULT_JOBS } = watch.options;
  await forEachParallel(versions.values(), jobs, signal, work);
  return pass;
}

/** Returns the files that are complete, and have not ended in this version. */
const dueOf = (
  { ledger }: Watch,
  listed: ReadonlyMap<string, FileVersion>,
  before: ReadonlyMap<string, FileVersion>,
): FileVersion[] =>
  [...listed.values()].filter(
    (version) => isSameVersion(version, before.get(version.file)) && !ledger.hasEnded(version),
  );

/** Lists and cuts out until the signal aborts; with `once`, what is there now. */
async function run(watch: Watch, signal: AbortSignal): Promise<Pass> {
  const { folders, options } = watch;
  const total: Pass = { done: 0, failed: 0 };
  let pauseMillis = LISTING_MILLIS;
  let before = await listVersions(folders);
  for (;;) {
    await delay(pauseMillis, undefined, { signal });
    const startedAt = performance.now();
    const listed = await listVersions(folders);
    const listingMillis = performance.now() - startedAt;
    const pass = await runPass(watch, dueOf(watch, listed, before), signal);
    total.done += pass.done;
    total.failed += pass.failed;
    if (options.once && pass.obstacle !== undefined) throw pass.obstacle;
    if (options.once) return total;
    if (pass.obstacle === undefined) {
      pauseMillis = Math.max(LISTING_MILLIS, listingMillis / MAX_LISTING_SHARE);
    } else {
      pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
      say(options, `${errorText(pass.obstacle)}\nTrying again in ${pauseMillis / 1000} s.`);
    }
    before = listed;
  }
}

/**
 * Watches a folder: cuts out each photo once, also those that come later, into another folder with the same names.
 * A later call continues.
 */
export async function watchFolder(
  folder: string,
  options: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  const folders = await openFolders(folder, options);
  const request = await withPresetFormat(await readImageOptions(options), options);
  const client = connect(options);
  const ledger = await openLedger(join(folders.to, LEDGER));
  say(options, `Watching ${folder}; Ctrl-C ends it, and the same command continues.`);
  try {
    const { done, failed } = await run({ folders, options, request, client, ledger }, signal);
    say(options, `${done} cut out, ${failed} failed.`);
    if (failed > 0) process.exitCode = EXIT.failed;
  } finally {
    await ledger.close();
  }
}
