import type { MeasuredImage } from '../src/intake/validate-image.ts';
import type { CutOutOptions } from '../src/output/quality.ts';
import type { JobResults, Operation } from '../src/queue/job-data.ts';
import { type CutOutCacheQuery, cachedCutOut, storeCutOut } from './cached-cut-out.ts';
import { crashKey, type ImageDeps, workOnImage } from './image-job.ts';
import type { Engine } from './inference/pool.ts';

/** One image, and who wants to keep what is made of it; the model is the engine's. */
export interface Task extends Omit<CutOutCacheQuery, 'model'> {
  options: CutOutOptions;
  image: Uint8Array;
  /** What goes behind the subject. */
  background?: Pick<MeasuredImage, 'bytes' | 'sha256'> | undefined;
}

/** The options a cut-out is kept under: a background counts by its bytes, wherever they came from. */
export function optionsWith(
  options: CutOutOptions = {},
  background: Pick<MeasuredImage, 'sha256'> | undefined,
): CutOutOptions {
  const { backgroundImageUrl: _, backgroundImageSha256: __, ...rest } = options;
  return background ? { ...rest, backgroundImageSha256: background.sha256 } : rest;
}

type Millis = Record<string, number>;

/** What an operation came to, and where its time went. */
interface Done {
  results: JobResults;
  millis: Millis;
}

/** Cuts an image out, unless the client has had the same one cut out before. */
async function cutOut(deps: ImageDeps, task: Task, signal: AbortSignal): Promise<Done> {
  const { blobs, engine } = deps;
  const model = `${engine.model.id}@${engine.model.version}`;
  const kept = await cachedCutOut(blobs, { ...task, model }, signal);
  if (kept) return { results: { cutout: kept }, millis: {} };
  const { options, image, background } = task;
  const order = { options, background: background?.bytes };
  const cut: Engine['removeBackground'] = (bytes, turn) =>
    engine.removeBackground(bytes, turn, order);
  const input = { image, sha256: crashKey(task.sha256, background) };
  const { done, millis } = await workOnImage(deps, input, cut, signal);
  const doneAt = performance.now();
  const cutout = await storeCutOut(blobs, task.outputKey, { ...done, model }, signal);
  const store = performance.now() - doneAt;
  return { results: { cutout }, millis: { ...millis, store } };
}

/** Looks at the garment; words are put to it when somebody asks. */
async function view(deps: ImageDeps, task: Task, signal: AbortSignal): Promise<Done> {
  const { done, millis } = await workOnImage(deps, task, deps.engine.viewGarment, signal);
  const { timings: _, ...seen } = done;
  return { results: { view: seen }, millis };
}

const DEEDS: Readonly<Record<Operation, typeof cutOut>> = {
  'remove-background': cutOut,
  classify: view,
};

const sum = (a: Millis, b: Millis): Millis =>
  Object.fromEntries(
    [...Object.keys(a), ...Object.keys(b)].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]),
  );

/** Does to one image what was asked, one thing after the other. Throws as `workOnImage`. */
export async function perform(
  deps: ImageDeps,
  operations: readonly Operation[],
  task: Task,
  signal: AbortSignal,
): Promise<Done> {
  let all: Done = { results: {}, millis: {} };
  for (const operation of operations) {
    const { results, millis } = await DEEDS[operation](deps, task, signal);
    all = { results: { ...all.results, ...results }, millis: sum(all.millis, millis) };
  }
  return all;
}
