import type { Processor } from './attempt.ts';
import { type ImageDeps, processStoredImage } from './image-job.ts';

/** Classifies one garment for a waiting client. Throws like `processStoredImage`. */
export const classifyGarment =
  (deps: ImageDeps): Processor<'classify-garment'> =>
  async (data, signal) => {
    const { output, millis } = await processStoredImage(
      deps,
      data,
      deps.engine.viewGarment,
      signal,
    );
    const { timings: _, ...view } = output;
    return { ...view, millis };
  };
