import { availableParallelism } from 'node:os';
import { readImageSize, sniffFormat } from '../../src/imaging/image-header.ts';
import type { Size } from '../../src/imaging/layout.ts';
import type { CutOutReview } from '../../src/output/review.ts';
import type { RulesReport } from '../../src/output/rules/verdicts.ts';
import {
  pricedMegapixels,
  type ServiceTime,
  ServiceTimes,
  serviceMillis,
  turnsOf,
} from '../../src/queue/turns.ts';
import type { ChildReady, TaskRequest } from './child-protocol.ts';
import {
  type CutOut,
  CutOutResult,
  GarmentViewResult,
  type MarketplacePicture,
  MarketplacePictureResult,
  type MeasuredGarment,
  type Outfit,
  type RefinedCutOut,
  RefinedResult,
  readOutfit,
} from './child-results.ts';
import type { CutOutSettings } from './cut-out.ts';
import { DecodeError } from './decode-error.ts';
import {
  EngineCrash,
  type InferenceProcess,
  startProcess,
  type TaskOutput,
} from './inference-process.ts';
import type { MarketplacePictureOptions } from './marketplace-picture.ts';
import {
  memoryForTasks,
  NOBODY,
  type PermitRequest,
  Permits,
  TaskMemory,
  taskBytes,
} from './permits.ts';
import type { Refinement } from './refine.ts';
import type { OutfitOptions } from './separate-outfit.ts';
import type { DeviceChoice } from './session.ts';
import { Suspects, superviseProcess, type Task } from './slot.ts';

export { DecodeError, EngineCrash, type Outfit, type PermitRequest };

export interface EngineOptions {
  /** Catalogue id of the background removal model. */
  model: string;
  device: DeviceChoice;
  /** Inference processes. */
  slots: number;
  maxPixels: number;
  /** Folder of the pulled models and the operator's own. */
  modelsHome: string;
  /**
   * A child that takes longer for one task hangs in native code and is killed, or its slot would be lost. One whose task
   * nobody waits for any more is killed once it has taken three times what was predicted.
   */
  hangMillis?: number;
  /** Images each child works on at once, to run them through the network together; see `DEFAULT_BATCH`. */
  batch?: number | undefined;
  /** Whether children that have no work after their start warm up for it; false by default. */
  warmUp?: boolean;
  /** Called for each processed image. */
  observe?: (stats: ImageStats) => void;
  /** Called with the review of each cut-out. */
  onReview?: (review: CutOutReview) => void;
  /** Called with the verdicts on each cut-out that rules judge. */
  onRules?: (report: RulesReport) => void;
}

export interface ImageStats {
  /** Time until a child was free. */
  waitMillis: number;
  /** Images that went through the network together with it, itself included. */
  batchSize: number;
}

/** Returns the size of the image that a body starts with, if it can be read. */
function sizeOf(body: Uint8Array): Size | undefined {
  const format = sniffFormat(body);
  return format && readImageSize(body, format);
}

const HANG_MILLIS = 120_000;

/** A task that nobody waits for any more may take so many times as long as was predicted, and at least so long. */
const BUDGET = { times: 3, minMillis: 5000 } as const;

/**
 * Images each child works on at once by default. A GPU takes little longer for several than for one; on a CPU two
 * together take as long as two in turn, and the first would wait for the second.
 */
const DEFAULT_BATCH: Readonly<Record<string, number>> = { cpu: 1, cuda: 4, webgpu: 1 };

/** Rejects with the signal's reason as soon as it aborts; the work itself goes on. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * Kills a child whose task nobody waits for any more, as soon as it has taken longer than its budget: it would go on
 * for as long as it likes. Returns what to call when the task has ended.
 */
function endOverBudget(
  process: InferenceProcess,
  signal: AbortSignal | undefined,
  budgetMillis: number,
): () => void {
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    const leftMillis = budgetMillis - (performance.now() - startedAt);
    timer = setTimeout(process.killStuck, Math.max(0, leftMillis));
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
}

/**
 * Starts the children and resolves when each has loaded the model and run it once. Rejects if the model cannot be
 * loaded, the device is not available, or the children die.
 */
export async function startEngine(options: EngineOptions) {
  const { slots: count, hangMillis = HANG_MILLIS, batch: wanted, ...others } = options;
  const { warmUp = false, observe, onReview, onRules, ...rest } = others;
  const threads = Math.max(1, Math.floor(availableParallelism() / count));
  const permits = new Permits<InferenceProcess>();
  const memory = new TaskMemory(memoryForTasks(count));
  const batchOn = (device: string) => wanted ?? DEFAULT_BATCH[device] ?? 1;
  // Only a child can tell the device; until then it is prepared for the largest batch of any.
  const batch = wanted ?? Math.max(...Object.values(DEFAULT_BATCH));
  const start = () => startProcess({ ...rest, threads, batch, warmUp }, hangMillis);
  const suspects = new Suspects();
  async function onReady(process: InferenceProcess, { device }: ChildReady): Promise<void> {
    await suspects.tryIn(process);
    if (!process.isAlive()) return;
    for (let i = 0; i < batchOn(device); i++) permits.release(process);
  }
  const slots = Array.from({ length: count }, () =>
    superviseProcess(start, onReady, permits.remove),
  );
  async function close(): Promise<void> {
    const reason = new Error('The engine is closed');
    permits.close(reason);
    suspects.close(reason);
    await Promise.all(slots.map((slot) => slot.close()));
  }
  const [first] = await Promise.all(slots.map(({ ready }) => ready)).catch(async (error) => {
    await close();
    throw error;
  });
  if (!first) throw new Error('An engine needs at least one slot');

  /** Runs a task in a child; alone in the next one if the child dies and other images may be the cause. */
  async function runIn(process: InferenceProcess, task: Task): Promise<TaskOutput> {
    try {
      return await process.run(task.request, task.image);
    } catch (error) {
      if (!(error instanceof EngineCrash) || error.images < 2) throw error;
      return suspects.add(task);
    }
  }

  const serviceTimes = new ServiceTimes();
  /** Learns from a finished task, also one that nobody waits for any more. */
  function learn(
    task: Task,
    megapixels: number | undefined,
    { priority }: PermitRequest,
    startedAt: number,
  ): void {
    const isAwaited = priority === 'now';
    // In the background, other tasks are only a part of the work on an image.
    if (!isAwaited && task.request.task !== 'cut-out') return;
    const now = performance.now();
    if (megapixels) serviceTimes.observe({ megapixels, millis: now - startedAt, isAwaited }, now);
  }

  /** Runs a task in the next free child. The permit returns when the child is done, even after an abort. */
  async function run(
    request: TaskRequest,
    image: Uint8Array,
    permit: PermitRequest = {},
  ): Promise<TaskOutput> {
    const startedAt = performance.now();
    const size = sizeOf(image);
    const megapixels = size && pricedMegapixels(size, request.strokes);
    const bytes = size ? taskBytes(request, size) : 0;
    const { owner = NOBODY } = permit;
    const work = megapixels === undefined ? 1 : turnsOf(megapixels);
    const process = await permits.acquire({ ...permit, owner: { ...owner, work } });
    await memory.take(bytes).catch((error) => {
      permits.release(process);
      throw error;
    });
    const grantedAt = performance.now();
    const waitMillis = grantedAt - startedAt;
    const release = () => {
      memory.give(bytes);
      if (process.isAlive()) permits.release(process);
    };
    if (permit.signal?.aborted) {
      release();
      throw permit.signal.reason;
    }
    const task = { request, image, signal: permit.signal };
    const budget = BUDGET.times * serviceMillis(serviceTimes.at(grantedAt), megapixels);
    const stopWatching = endOverBudget(process, permit.signal, Math.max(BUDGET.minMillis, budget));
    const running = runIn(process, task).finally(() => {
      stopWatching();
      release();
    });
    running.then(
      () => learn(task, megapixels, permit, grantedAt),
      () => {},
    );
    const output = await unlessAborted(running, permit.signal);
    observe?.({ waitMillis, batchSize: output.batchSize });
    return output;
  }
  return {
    /** The networks, `model` and `parser`, the `device` in use, and why a GPU is there and not in use: `fallback`. */
    ...first,
    /** Images each child works on at once. */
    batch: batchOn(first.device),
    /** Returns how long an image takes now. */
    serviceTime: (): ServiceTime => serviceTimes.at(performance.now()),
    /**
     * Cuts the subject out of an image.
     * @param permit.signal ends the waiting at once; an image that a child already works on is finished and
     *   dropped, because native code cannot be stopped without losing the loaded model
     * @param permit.priority requests with `now` are served first
     * @throws DecodeError, EngineCrash, the signal's reason; Problem if the options cannot be met
     */
    async removeBackground(
      image: Uint8Array,
      permit?: PermitRequest,
      { options, background, region }: Omit<CutOutSettings, 'openParser'> = {},
    ): Promise<CutOut> {
      const imageBytes = background && image.length;
      const body = background ? Buffer.concat([image, background]) : image;
      const request: TaskRequest = { task: 'cut-out', options, region, imageBytes };
      const { result, bytes } = await run(request, body, permit);
      const cutOut = { ...CutOutResult.parse(result), file: bytes };
      onReview?.(cutOut.review);
      if (cutOut.rules) onRules?.(cutOut.rules);
      return cutOut;
    },
    /** Mends a cut-out by strokes. Otherwise like `removeBackground`. */
    async refineCutOut(
      image: Uint8Array,
      { alpha, strokes, options }: Refinement,
      permit?: PermitRequest,
    ): Promise<RefinedCutOut> {
      const request: TaskRequest = {
        task: 'refinement',
        options,
        strokes,
        imageBytes: image.length,
      };
      const { result, bytes } = await run(request, Buffer.concat([image, alpha]), permit);
      return { ...RefinedResult.parse(result), file: bytes };
    },
    /** Returns a garment's class probabilities and colours. Otherwise like `removeBackground`. */
    async viewGarment(image: Uint8Array, permit?: PermitRequest): Promise<MeasuredGarment> {
      const { result } = await run({ task: 'garment-view' }, image, permit);
      return GarmentViewResult.parse(result);
    },
    /** Returns the garments of a photo, with their cut-outs on request. Otherwise like `removeBackground`. */
    async separateOutfit(
      image: Uint8Array,
      permit: PermitRequest,
      { quality, cutouts }: OutfitOptions,
    ): Promise<Outfit> {
      const request: TaskRequest = { task: 'outfit', cutouts, options: { quality } };
      const { result, bytes } = await run(request, image, permit);
      return readOutfit(result, bytes);
    },
    /** Renders a cut-out of ours as marketplaces require it; undefined if it meets the rules as it is. */
    async renderMarketplacePicture(
      cutout: Uint8Array,
      { background }: MarketplacePictureOptions,
      permit?: PermitRequest,
    ): Promise<MarketplacePicture | undefined> {
      const request: TaskRequest = { task: 'marketplace-picture', background };
      const { result, bytes } = await run(request, cutout, permit);
      return bytes.length > 0 ? { ...MarketplacePictureResult.parse(result), bytes } : undefined;
    },
    /** The live children. */
    pids: (): number[] => slots.flatMap((slot) => slot.pids()),
    /** Kills the children at once; rejects running and waiting requests. */
    close,
  };
}
export type Engine = Awaited<ReturnType<typeof startEngine>>;
