import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { JobResults, KeptCutOut, Operation } from '../src/jobs/records.ts';
import type { References } from '../src/jobs/references.ts';
import type { BlobHead } from '../src/store/blobs.ts';
import { type ImageParts, workOnImage } from './image-job.ts';

export interface OperationParts extends ImageParts {
  references: References;
}

/** One image of one job, in the store. */
export interface Task {
  jobId: string;
  inputKey: string;
  /** Of the input, hex. */
  sha256: string;
  /** Where its cut-out is kept. */
  outputKey: string;
}

type Millis = Record<string, number>;

/** What an operation came to, and where its time went. */
interface Done {
  results: JobResults;
  millis: Millis;
}

/** What is kept with a cut-out, so that a later job with the same image need not look at it. */
const KeptFacts = z.object({
  width: z.coerce.number(),
  height: z.coerce.number(),
  sha256: z.string(),
  model: z.string(),
  confidence: z.coerce.number(),
});

const readKept = ({ bytes, meta }: BlobHead): KeptCutOut => ({ bytes, ...KeptFacts.parse(meta) });

async function cutAndKeep(parts: OperationParts, task: Task, signal: AbortSignal): Promise<Done> {
  const { blobs, engine } = parts;
  const { done, millis } = await workOnImage(parts, task, engine.removeBackground, signal);
  const { png, width, height, confidence } = done;
  const model = `${engine.model.id}@${engine.model.version}`;
  const sha256 = createHash('sha256').update(png).digest('hex');
  const facts = { width, height, sha256, model, confidence };
  const meta = Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, String(value)]),
  );
  const doneAt = performance.now();
  await blobs.put(task.outputKey, png, { mediaType: 'image/png', meta }, signal);
  const store = performance.now() - doneAt;
  return { results: { cutout: { ...facts, bytes: png.length } }, millis: { ...millis, store } };
}

/** Cuts an image out, unless the client has had the same one cut out before. */
async function cutOut(parts: OperationParts, task: Task, signal: AbortSignal): Promise<Done> {
  await parts.references.hold(task.outputKey, task.jobId, signal);
  const kept = await parts.blobs.head(task.outputKey, signal);
  if (kept) return { results: { cutout: readKept(kept) }, millis: {} };
  return cutAndKeep(parts, task, signal);
}

/** Looks at the garment; words are put to it when somebody asks. */
async function view(parts: OperationParts, task: Task, signal: AbortSignal): Promise<Done> {
  const { done, millis } = await workOnImage(parts, task, parts.engine.viewGarment, signal);
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
  parts: OperationParts,
  operations: readonly Operation[],
  task: Task,
  signal: AbortSignal,
): Promise<Done> {
  let all: Done = { results: {}, millis: {} };
  for (const operation of operations) {
    const { results, millis } = await DEEDS[operation](parts, task, signal);
    all = { results: { ...all.results, ...results }, millis: sum(all.millis, millis) };
  }
  return all;
}
