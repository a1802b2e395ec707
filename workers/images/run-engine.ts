import type { Redis } from 'ioredis';
import type { ValidatedImage } from '../../src/intake/validate-image.ts';
import type { Quality } from '../../src/output/option-table.ts';
import type { CutOutOptions } from '../../src/output/options.ts';
import { Problem } from '../../src/platform/problem.ts';
import { PREFIX } from '../../src/platform/redis.ts';
import { OutfitView } from '../../src/queue/job-data.ts';
import type { TurnOwner } from '../../src/queue/turns.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { Region } from '../../src/taxonomy/dictionary/schema.ts';
import type { MarketplacePictureOptions } from '../inference/marketplace-picture.ts';
import {
  DecodeError,
  type Engine,
  EngineCrash,
  type Outfit,
  type PermitRequest,
} from '../inference/pool.ts';
import type { Refinement } from '../inference/refine.ts';

const TTL_SECONDS = 86_400;
/** So many crashes of the inference process on one image are not chance. */
const QUARANTINE_CRASHES = 2;

/**
 * A kill that may be the kernel's, for want of memory, counts this much of a crash: 16 in a row, over two minutes with
 * the delays between them, are not chance either. A power of two, so that Redis adds it exactly.
 */
const KILL_SHARE = 1 / 8;

/** Counts, for a day, the crashes of the inference process on an image, and quarantines it after two. */
export class Quarantine {
  readonly #redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  #keyOf(sha256: string) {
    return `${PREFIX}:crashes:${sha256}`;
  }

  /**
   * Counts a crash; returns true if the image is quarantined from now on.
   * @param mayLackMemory whether the kernel may have killed the process, for want of memory
   */
  async recordCrash(sha256: string, mayLackMemory: boolean): Promise<boolean> {
    const replies = await this.#redis
      .multi()
      .incrbyfloat(this.#keyOf(sha256), mayLackMemory ? KILL_SHARE : 1)
      .expire(this.#keyOf(sha256), TTL_SECONDS)
      .exec();
    return isQuarantined(Number(replies?.[0]?.[1]));
  }

  /** Returns the number of crashes on the image since it last succeeded, not always a whole one. */
  async crashes(sha256: string): Promise<number> {
    return Number(await this.#redis.get(this.#keyOf(sha256)));
  }

  /** The image has succeeded: it did not cause its crashes. */
  async clear(sha256: string): Promise<void> {
    await this.#redis.del(this.#keyOf(sha256));
  }
}

/** Whether an image with so many crashes is rejected without another attempt. */
const isQuarantined = (crashes: number): boolean => crashes >= QUARANTINE_CRASHES;

export interface ImageServices {
  blobs: Blobs;
  engine: Engine;
  /** What names the weights in results, `id@version`. */
  versions: { model: string; parser: string };
  quarantine: Quarantine;
}

/** One image, what it is to become, and whose turn at the engine it takes. */
export interface ImageTask extends TurnOwner {
  image: Uint8Array;
  /** Crashes of the engine are counted under it, hex. */
  sha256: string;
  options?: CutOutOptions | undefined;
  /** Behind the subject. */
  background?: Pick<ValidatedImage, 'bytes' | 'sha256'> | undefined;
  /** With the subject `garment`: the region to take if the image shows one of its garments. */
  region?: Region | undefined;
  /** Whether a client waits for the response. */
  isAwaited?: boolean;
}

/** What the engine has made of an image: facts, and files. */
interface Made<T> {
  facts: T;
  files: Uint8Array[];
  timings: object;
}

/** What the engine is to make of an image. */
export type EngineOperation<T> = (
  services: Pick<ImageServices, 'engine' | 'versions'>,
  task: ImageTask,
  permit: PermitRequest,
) => Promise<Made<T>>;

const quarantined = () =>
  new Problem(
    'upstream-failed',
    'The model failed on this image again and again; it is not tried again today',
  );

/** Converts an error of the engine to a problem, unless another attempt may help. */
async function toProblem(error: unknown, key: string, quarantine: Quarantine): Promise<unknown> {
  if (error instanceof DecodeError) {
    return new Problem('invalid-request', `The image ${error.message}`);
  }
  if (!(error instanceof EngineCrash)) return error;
  return (await quarantine.recordCrash(key, error.mayLackMemory)) ? quarantined() : error;
}

/** The key under which crashes are counted. It includes the background, which may be the cause. */
const crashKeyOf = ({ sha256, background }: ImageTask): string =>
  background ? `${sha256}-${background.sha256}` : sha256;

/**
 * Runs an operation of the engine on an image, unless the image is in quarantine. Adds milliseconds by step.
 * @param crashes how often the image has crashed the engine, if that is read already
 * @throws Problem if the image cannot be processed; EngineCrash if another attempt may help
 */
export async function runEngine<T>(
  services: Pick<ImageServices, 'engine' | 'versions' | 'quarantine'>,
  operation: EngineOperation<T>,
  task: ImageTask,
  signal: AbortSignal,
  crashes?: Promise<number>,
): Promise<Omit<Made<T>, 'timings'> & { millis: Record<string, number> }> {
  const { quarantine } = services;
  const key = crashKeyOf(task);
  const previousCrashes = await (crashes ?? quarantine.crashes(key));
  if (isQuarantined(previousCrashes)) throw quarantined();
  const { client, weight, isAwaited } = task;
  const priority = isAwaited ? 'now' : 'later';
  const permit = { signal, priority, owner: { client, weight } } as const;
  const { timings, ...made } = await operation(services, task, permit).catch(async (error) => {
    throw await toProblem(error, key, quarantine);
  });
  if (previousCrashes > 0) await quarantine.clear(key);
  return { ...made, millis: stepsOf(timings) };
}

/** `decodeMillis` -> `decode`; the total becomes `engine`. */
const stepsOf = (timings: object): Record<string, number> =>
  Object.fromEntries(
    Object.entries(timings).map(([name, millis]) => [
      name === 'totalMillis' ? 'engine' : name.replace(/Millis$/, ''),
      millis,
    ]),
  );

/** What an operation says of an image, besides its files. */
type Facts<T extends { timings: object }> = Omit<T, 'timings' | 'file'>;
type Returned<N extends keyof Engine> = Engine[N] extends (...args: never) => Promise<infer T>
  ? T
  : never;

export const cutOut: EngineOperation<
  Facts<Returned<'removeBackground'>> & { bytes: number; model: string }
> = async ({ engine, versions }, { image, options, region, background }, permit) => {
  const settings = { options, region, background: background?.bytes };
  const { file, timings, ...facts } = await engine.removeBackground(image, permit, settings);
  const { model } = versions;
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
  async ({ engine }, { image, options }, permit) => {
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
  { engine },
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
  async ({ engine }, { image, options }, permit) => {
    const settings = { quality: quality ?? options?.quality, cutouts };
    const outfit = await engine.separateOutfit(image, permit, settings);
    const files = cutouts ? splitCutOuts(outfit) : [];
    return { facts: toOutfitView(outfit), files, timings: outfit.timings };
  };
