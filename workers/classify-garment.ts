import type { Processor } from './attempt.ts';
import { type ImageServices, processStoredImage } from './image-job.ts';

/** Classifies one garment for a waiting client. Throws like `processStoredImage`. */
export const classifyGarment =
  (services: ImageServices): Processor<'classify-garment'> =>
  async (data, signal) => {
    const { output, millis } = await processStoredImage(
      services,
      data,
      services.engine.viewGarment,
      signal,
    );
    const { timings: _, ...view } = output;
    return { ...view, millis };
  };
