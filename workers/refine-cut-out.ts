import { createHash } from 'node:crypto';
import { sniffFormat } from '../src/imaging/sniff.ts';
import { fieldProblem, Problem } from '../src/platform/problem.ts';
import type { JobData } from '../src/queue/catalog.ts';
import type { AttemptContext, Processor } from './attempt.ts';
import { type FetchServices, openInput, withFetchPermit } from './fetch-input.ts';
import { type ImageServices, processImage } from './image-job.ts';
import type { MarketplacePicture } from './inference/marketplace-picture.ts';
import type { PermitRequest } from './inference/pool.ts';
import { fetchNow } from './remove-background.ts';
import type { WorkerServices } from './worker-services.ts';

type Services = ImageServices & FetchServices & Pick<WorkerServices, 'pools'>;

type RefinementJob = JobData<'refine-cut-out'>;

const photoGone = (why: string): Problem =>
  fieldProblem('gone', '/image', 'is needed', `${why}; send it as "image"`);

/** Reads the photo, or fetches it again. @throws Problem gone if it is not to be had, or is another now */
async function withPhoto<T>(
  services: Services,
  { inputKey, client, photoSha256 }: RefinementJob,
  attempt: AttemptContext,
  signal: AbortSignal,
  work: (photo: Uint8Array) => Promise<T>,
): Promise<T> {
  const stored = await services.blobs.get(inputKey, signal);
  if (sniffFormat(stored)) return work(stored);
  const input = await openInput(services.blobs, inputKey, signal);
  const turn = { client, attempt };
  return withFetchPermit(services.pools.sync, turn, input.link, signal, async () => {
    const { bytes } = await fetchNow(services, input, turn, signal).catch((error) => {
      const isFinal = error instanceof Problem && error.type !== 'upstream-failed';
      throw isFinal ? photoGone(error.detail) : error;
    });
    if (createHash('sha256').update(bytes).digest('hex') !== photoSha256) {
      throw photoGone('There is another photo at its address now');
    }
    return work(bytes);
  });
}

/** Mends a cut-out by strokes for a waiting client. Throws like `processImage` and `fetchInput`. */
export const refineStoredCutOut =
  (services: Services): Processor<'refine-cut-out'> =>
  async (data, signal, attempt) => {
    const { engine, blobs } = services;
    const { alphaKey, strokes, options, picture, outputKey, sha256, client, weight } = data;
    const startedAt = performance.now();
    const alpha = await blobs.get(alphaKey, signal);
    return withPhoto(services, data, attempt, signal, async (image) => {
      const fetch = performance.now() - startedAt;
      const owner = { client, weight };
      let made: MarketplacePicture | undefined;
      const operation = async (bytes: Uint8Array, permit: PermitRequest) => {
        const refined = await engine.refineCutOut(bytes, { alpha, strokes, options }, permit);
        made = picture && (await engine.renderMarketplacePicture(refined.file, picture, permit));
        return refined;
      };
      const { output, millis } = await processImage(
        services,
        { image, crashKey: sha256, owner },
        operation,
        signal,
        'now',
      );
      const { file, timings: _, ...rest } = output;
      const files = made ? Buffer.concat([file, made.bytes]) : file;
      const storingAt = performance.now();
      await blobs.put(outputKey, files, { mediaType: rest.mediaType, durable: false }, signal);
      const store = performance.now() - storingAt;
      return {
        ...rest,
        bytes: file.length,
        ...(made && { picture: { bytes: made.bytes.length, mediaType: made.mediaType } }),
        millis: { fetch, ...millis, store },
      };
    });
  };
