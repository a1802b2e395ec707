import { modelVersionOf } from '../../models/catalog.ts';
import type { Quality } from '../../src/output/option-table.ts';
import { OutfitView } from '../../src/queue/outfit-view.ts';
import type { MarketplacePictureOptions } from '../inference/marketplace-picture.ts';
import type { Engine, Outfit } from '../inference/pool.ts';
import type { Refinement } from '../inference/refine.ts';
import type { EngineOperation } from './run-engine.ts';

/** What an operation says of an image, besides its files. */
type Facts<T extends { timings: object }> = Omit<T, 'timings' | 'file'>;
type Returned<N extends keyof Engine> = Engine[N] extends (...args: never) => Promise<infer T>
  ? T
  : never;

export const cutOut: EngineOperation<
  Facts<Returned<'removeBackground'>> & { bytes: number; model: string }
> = async (engine, { image, options, region, background }, permit) => {
  const settings = { options, region, background: background?.bytes };
  const { file, timings, ...facts } = await engine.removeBackground(image, permit, settings);
  const model = modelVersionOf(engine.model);
  return { facts: { ...facts, bytes: file.length, model }, files: [file], timings };
};

/** Mends a cut-out by strokes. With `picture`, makes its picture for marketplaces too, unless the cut-out serves. */
export const mend =
  (
    { strokes, alpha }: Pick<Refinement, 'strokes' | 'alpha'>,
    picture: MarketplacePictureOptions | undefined,
  ): EngineOperation<
    Facts<Returned<'refineCutOut'>> & {
      bytes: number;
      picture?: { bytes: number; mediaType: 'image/jpeg' | 'image/png' };
    }
  > =>
  async (engine, { image, options }, permit) => {
    const refinement = { alpha, strokes, options };
    const { file, timings, ...facts } = await engine.refineCutOut(image, refinement, permit);
    const result = { ...facts, bytes: file.length };
    const made = picture && (await engine.renderMarketplacePicture(file, picture, permit));
    if (!made) return { facts: result, files: [file], timings };
    const { bytes, mediaType } = made;
    const pictured = { ...result, picture: { bytes: bytes.length, mediaType } };
    return { facts: pictured, files: [file, bytes], timings };
  };

/** Measures a garment. Its labels are derived from the result when a client asks for it. */
export const view: EngineOperation<Facts<Returned<'viewGarment'>>> = async (
  engine,
  { image },
  permit,
) => {
  const { timings, ...facts } = await engine.viewGarment(image, permit);
  return { facts, files: [], timings };
};

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

/** Returns the cut-outs of the garments, in their order. */
export function splitCutOuts({ garments, files }: Outfit): Uint8Array[] {
  let end = 0;
  return garments.map(({ bytes }) => {
    end += bytes;
    return files.subarray(end - bytes, end);
  });
}

/** Separates the garments, each with its cut-out if they are wanted. */
export const separate =
  (cutouts: boolean, quality?: Quality): EngineOperation<OutfitView> =>
  async (engine, { image, options }, permit) => {
    const settings = { quality: quality ?? options?.quality, cutouts };
    const outfit = await engine.separateOutfit(image, permit, settings);
    const files = cutouts ? splitCutOuts(outfit) : [];
    return { facts: toOutfitView(outfit), files, timings: outfit.timings };
  };
