import { createHash } from 'node:crypto';
import { sniffFormat } from '../../src/imaging/image-header.ts';
import type { Quality } from '../../src/output/option-table.ts';
import { fieldProblem, Problem } from '../../src/platform/problem.ts';
import type { JobData, JobResult } from '../../src/queue/catalog.ts';
import { isHeavy } from '../../src/queue/turns.ts';
import type { Processor, Processors } from '../consume-jobs.ts';
import type { WorkerServices } from '../worker-services.ts';
import {
  type FetchServices,
  type FetchTurn,
  type Input,
  openInput,
  readInput,
  withFetchPermit,
} from './read-input.ts';
import {
  cutOut,
  type EngineOperation,
  type ImageServices,
  mend,
  runEngine,
  separate,
  view,
} from './run-engine.ts';

/*
 * The jobs that a client waits for. All take the same way: read the image, or fetch it; run the engine; store the files
 * in one blob, where the gateway reads them.
 */

type Services = ImageServices & FetchServices & Pick<WorkerServices, 'pools'>;

type Name = 'remove-background' | 'refine-cut-out' | 'classify-garment' | 'separate-garments';
type Facts<N extends Name> = Omit<JobResult<N>, 'millis'>;

/** What some of the jobs have besides what all of them have. */
type Extras = Pick<JobData<'remove-background'>, 'backgroundKey' | 'options'> &
  Pick<JobData<'refine-cut-out'>, 'photoSha256'> &
  Pick<JobData<'separate-garments'>, 'outputKey'>;

const photoGone = (why: string): Problem =>
  fieldProblem('gone', '/image', 'is needed', `${why}; send it as "image"`);

/** Reads a photo that may have changed since its cut-out was made. @throws Problem gone */
async function readAgain(reading: Promise<Uint8Array>, sha256: string): Promise<Uint8Array> {
  const bytes = await reading.catch((error) => {
    const isGone = error instanceof Problem && error.type !== 'upstream-failed';
    throw isGone ? photoGone(error.detail) : error;
  });
  if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
  throw photoGone('There is another photo at its address now');
}

/** Reads what a client has sent, or what its links name, and works on it; with a permit if it has to be fetched. */
async function withUploads<T>(
  services: Services,
  { inputKey, backgroundKey, photoSha256 }: Pick<JobData<Name>, 'inputKey'> & Extras,
  turn: FetchTurn,
  signal: AbortSignal,
  work: (image: Uint8Array, background: ImageBackground) => Promise<T>,
): Promise<T> {
  const { blobs, pools } = services;
  const sent = await blobs.get(inputKey, signal);
  // A gateway has validated it: storage is asked for more only if it is a link.
  const input = sniffFormat(sent) ? undefined : await openInput(blobs, inputKey, signal);
  const behind =
    backgroundKey === undefined
      ? undefined
      : await openInput(blobs, backgroundKey, signal, 'background image');
  const fetch = async (from: Input) => {
    const fetching = readInput(services, from, turn, signal).then(({ bytes }) => bytes);
    return photoSha256 === undefined ? fetching : readAgain(fetching, photoSha256);
  };
  const run = async () => {
    const [image, background] = await Promise.all([
      input ? fetch(input) : sent,
      behind && readInput(services, behind, turn, signal),
    ]);
    return work(image, background);
  };
  const link = input?.link ?? behind?.link;
  return link === undefined ? run() : withFetchPermit(pools.sync, turn, link, signal, run);
}

type ImageBackground = Awaited<ReturnType<typeof readInput>> | undefined;

/** Processes an image for a waiting client. Throws like `runEngine` and `readInput`. */
const answer =
  <N extends Name>(
    services: Services,
    operationFor: (
      data: JobData<N>,
      signal: AbortSignal,
    ) => EngineOperation<Facts<N>> | Promise<EngineOperation<Facts<N>>>,
  ): Processor<N> =>
  async (job, signal, attempt) => {
    const { blobs, pools, quarantine } = services;
    const data: JobData<Name> & Extras = job;
    const { client, weight, work = 1, sha256, options, outputKey } = data;
    const turn = { client, attempt, isAwaited: true };
    const run = async () => {
      const startedAt = performance.now();
      // With a background they are counted under another key, which is known later.
      const crashes = data.backgroundKey ? undefined : quarantine.crashes(sha256);
      crashes?.catch(() => {}); // it is awaited when there is an image
      const operation = await operationFor(job, signal);
      return withUploads(services, data, turn, signal, async (image, background) => {
        const fetch = performance.now() - startedAt;
        const task = { client, weight, sha256, options, image, background, isAwaited: true };
        const made = await runEngine(services, operation, task, signal, crashes);
        const storingAt = performance.now();
        if (outputKey !== undefined) {
          const { mediaType } = { mediaType: 'application/octet-stream', ...made.facts };
          const [file] = made.files.length === 1 ? made.files : [Buffer.concat(made.files)];
          await blobs.put(outputKey, file!, { mediaType, durable: false }, signal);
        }
        const store = performance.now() - storingAt;
        return { ...made.facts, millis: { fetch, ...made.millis, store } } as JobResult<N>;
      });
    };
    // Heavy work waits until it leaves a slot to other jobs.
    return isHeavy(work) ? withFetchPermit(pools.heavy, turn, '', signal, run) : run();
  };

const separateForClient =
  (cutouts: boolean, quality: Quality | undefined): EngineOperation<Facts<'separate-garments'>> =>
  async (...task) => {
    const made = await separate(cutouts, quality)(...task);
    return { ...made, facts: { ...made.facts, fileBytes: made.files.map(({ length }) => length) } };
  };

/** Fetches an image for a waiting client, in place of its link. Throws like `readInput`. */
const fetchImage =
  (services: Services): Processor<'fetch-image'> =>
  async ({ inputKey, client }, signal, attempt) => {
    const startedAt = performance.now();
    const turn = { client, attempt, isAwaited: true };
    const input = await openInput(services.blobs, inputKey, signal);
    const run = async () => {
      const { bytes, format, sha256 } = await readInput(services, input, turn, signal);
      const millis = { fetch: performance.now() - startedAt };
      return { bytes: bytes.length, mediaType: `image/${format}` as const, sha256, millis };
    };
    const { link } = input;
    return link === undefined
      ? run()
      : withFetchPermit(services.pools.sync, turn, link, signal, run);
  };

/** The processors of the jobs that a client waits for. */
export const answers = (services: Services): Processors<'sync'> => ({
  'remove-background': answer(services, () => cutOut),
  'refine-cut-out': answer(services, async ({ alphaKey, strokes, picture }, signal) =>
    mend({ strokes, alpha: await services.blobs.get(alphaKey, signal) }, picture),
  ),
  'classify-garment': answer(services, () => view),
  'separate-garments': answer(services, ({ outputKey, quality }) =>
    separateForClient(outputKey !== undefined, quality),
  ),
  'fetch-image': fetchImage(services),
});
