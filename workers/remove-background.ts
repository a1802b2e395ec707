import { optionsOf } from '../src/jobs/quality.ts';
import type { Engine } from './engine/pool.ts';
import { type ImageParts, workOnRequest } from './image-job.ts';
import type { Processor } from './take-jobs.ts';

/** Cuts out one image: store -> engine -> store. Throws as `workOnRequest`. */
export const removeBackground =
  (parts: ImageParts): Processor<'remove-background'> =>
  async (data, signal) => {
    const { blobs, engine } = parts;
    const cut: Engine['removeBackground'] = (image, turn) =>
      engine.removeBackground(image, turn, optionsOf(data.quality));
    const { done, millis } = await workOnRequest(parts, data, cut, signal);
    const { png, width, height, confidence } = done;
    const cutAt = performance.now();
    await blobs.put(data.outputKey, png, { mediaType: 'image/png', durable: false }, signal);
    const model = `${engine.model.id}@${engine.model.version}`;
    const store = performance.now() - cutAt;
    return { width, height, bytes: png.length, model, confidence, millis: { ...millis, store } };
  };
