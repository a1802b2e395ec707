import type { JobData } from '../src/queue/catalog.ts';
import { OutfitView } from '../src/queue/outfit-view.ts';
import type { Processor } from './attempt.ts';
import { type ImageServices, processStoredImage } from './image-job.ts';
import type { Engine, Outfit } from './inference/pool.ts';

/** Four decimals are more than a probability is good for, and records are smaller. */
const round4 = (value: number): number => Math.round(value * 10_000) / 10_000;

/** Returns what is stored of an outfit, without its files. */
export function toOutfitView(outfit: Outfit): OutfitView {
  const { garments, ...facts } = outfit;
  return OutfitView.parse({
    ...facts,
    garments: garments.map((garment) => ({
      ...garment,
      probabilities: garment.probabilities.map(round4),
      alternatives: garment.alternatives.map(({ group, probability }) => ({
        group,
        probability: round4(probability),
      })),
      areaShare: round4(garment.areaShare),
      confidence: round4(garment.confidence),
    })),
  });
}

/** Yields the cut-outs of the garments, in their order. */
export function* splitCutOuts({ garments, files }: Outfit): Generator<Uint8Array> {
  let end = 0;
  for (const { bytes } of garments) {
    end += bytes;
    yield files.subarray(end - bytes, end);
  }
}

/** Separates the garments of a photo for a waiting client. Throws like `processStoredImage`. */
export const separateGarments =
  (services: ImageServices): Processor<'separate-garments'> =>
  async (data: JobData<'separate-garments'>, signal) => {
    const { outputKey, quality } = data;
    const settings = { quality, cutouts: outputKey !== undefined };
    const separate: (...args: Parameters<Engine['viewGarment']>) => Promise<Outfit> = (
      image,
      permit,
    ) => services.engine.separateOutfit(image, permit ?? {}, settings);
    const { output, millis } = await processStoredImage(services, data, separate, signal);
    const storingAt = performance.now();
    if (outputKey !== undefined) {
      const mediaType = 'application/octet-stream';
      await services.blobs.put(outputKey, output.files, { mediaType, durable: false }, signal);
    }
    const store = performance.now() - storingAt;
    const fileBytes = output.garments.map(({ bytes }) => bytes);
    return { ...toOutfitView(output), fileBytes, millis: { ...millis, store } };
  };
