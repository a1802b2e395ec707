import type { Processor } from './attempt.ts';
import { type ImageDeps, workOnRequest } from './image-job.ts';

/** Looks at one garment: store -> engine -> answer. Throws as `workOnRequest`. */
export const classifyGarment =
  (deps: ImageDeps): Processor<'classify-garment'> =>
  async (data, signal) => {
    const { done, millis } = await workOnRequest(deps, data, deps.engine.viewGarment, signal);
    const { timings: _, ...view } = done;
    return { ...view, millis };
  };
