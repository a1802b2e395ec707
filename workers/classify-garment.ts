import type { Processor } from './attempt.ts';
import { type ImageParts, workOnRequest } from './image-job.ts';

/** Looks at one garment: store -> engine -> answer. Throws as `workOnRequest`. */
export const classifyGarment =
  (parts: ImageParts): Processor<'classify-garment'> =>
  async (data, signal) => {
    const { done, millis } = await workOnRequest(parts, data, parts.engine.viewGarment, signal);
    const { timings: _, ...view } = done;
    return { ...view, millis };
  };
