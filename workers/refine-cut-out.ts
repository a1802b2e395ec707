import type { Processor } from './attempt.ts';
import { type ImageDeps, processStoredImage } from './image-job.ts';

/** Mends a cut-out by strokes for a waiting client. Throws like `processStoredImage`. */
export const refineStoredCutOut =
  (deps: ImageDeps): Processor<'refine-cut-out'> =>
  async (data, signal) => {
    const { engine, blobs } = deps;
    const { alphaKey, strokes, options, outputKey } = data;
    const alpha = await blobs.get(alphaKey, signal);
    const { output, millis } = await processStoredImage(
      deps,
      data,
      (image, permit) => engine.refineCutOut(image, { alpha, strokes, options }, permit),
      signal,
    );
    const { file, timings: _, ...rest } = output;
    const storingAt = performance.now();
    await blobs.put(outputKey, file, { mediaType: rest.mediaType, durable: false }, signal);
    const store = performance.now() - storingAt;
    return { ...rest, bytes: file.length, millis: { ...millis, store } };
  };
