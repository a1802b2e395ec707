import { availableParallelism } from 'node:os';
import type { Order, Warm } from './child-protocol.ts';
import { readCutOut, readGarmentView, readPicture } from './child-responses.ts';
import type { CutOut, CutOutOrder } from './cut-out.ts';
import type { GarmentView } from './garment-view.ts';
import {
  type Answer,
  EngineCrash,
  type InferenceProcess,
  startProcess,
} from './inference-process.ts';
import type { Picture, PictureOptions } from './marketplace-picture.ts';
import { createTurns, type Turn } from './permits.ts';
import type { DeviceChoice } from './session.ts';
import { keepProcess } from './slot.ts';
import { Undecodable } from './undecodable.ts';

export { EngineCrash, type Turn, Undecodable };

export interface EngineOptions {
  /** A catalogue id: the model that finds the subject. */
  model: string;
  device: DeviceChoice;
  /** Pictures worked on at once, each in a process of its own. */
  slots: number;
  maxPixels: number;
  /** Where pulled and the operator's own models are. */
  modelsHome: string;
  /** A child that takes so long hangs in native code: it is killed, or its slot would be lost for ever. */
  hangMillis?: number;
  /** Pictures each child has at once, to run them through the network together where it can; see `USUAL_BATCH`. */
  batch?: number | undefined;
  /** Hears of each picture that was worked on. */
  observe?: (seen: Observed) => void;
}

/** How one picture fared. */
export interface Observed {
  /** For its turn. */
  waitMillis: number;
  /** Pictures that went through the network together with it, itself included. */
  batchSize: number;
}

export interface Engine {
  readonly model: { id: string; version: string };
  /** What was taken: `cpu`, `cuda` or `webgpu`. */
  readonly device: string;
  /** Pictures each child has at once. */
  readonly batch: number;
  /**
   * Cuts the subject out of a picture.
   * @param turn.signal ends the waiting at once; a picture that already has its turn is finished and
   *   dropped, since native code cannot be stopped without losing the loaded model
   * @param turn.priority who waits `now` is served first
   * @throws Undecodable, EngineCrash, the signal's reason; Problem where options cannot be met
   */
  removeBackground(image: Uint8Array, turn?: Turn, order?: CutOutOrder): Promise<CutOut>;
  /** Looks at a garment: its class and colours. As `removeBackground` otherwise. */
  viewGarment(image: Uint8Array, turn?: Turn): Promise<GarmentView>;
  /** A cut-out of ours as marketplaces want it; nothing where it is so already. */
  showCutOut(
    cutout: Uint8Array,
    options: PictureOptions,
    turn?: Turn,
  ): Promise<Picture | undefined>;
  /** The children alive now. */
  pids(): number[];
  /** Ends the children at once; what they work on and who waits is turned away. */
  close(): Promise<void>;
}

const HANG_MILLIS = 120_000;

/**
 * Pictures each child has at once where nobody says. A GPU is nearly as soon done with several as with one; on a CPU
 * two together take as long as two, and the first would wait for the second.
 */
const USUAL_BATCH: Readonly<Record<string, number>> = { cpu: 1, cuda: 4, webgpu: 1 };

/** Rejects with the signal's reason as soon as it aborts, whatever the work does. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

/**
 * Starts the children and resolves when each has loaded the model and run it once.
 * @throws where the model cannot be loaded, the device is not there, or the children die
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { slots: count, hangMillis = HANG_MILLIS, batch: wanted, observe, ...rest } = options;
  const threads = Math.max(1, Math.floor(availableParallelism() / count));
  const turns = createTurns<InferenceProcess>();
  const batchOn = (device: string) => wanted ?? USUAL_BATCH[device] ?? 1;
  // Which device there is only a child can tell; until then it is ready for as many as any takes.
  const batch = wanted ?? Math.max(...Object.values(USUAL_BATCH));
  const start = () => startProcess({ ...rest, threads, batch }, hangMillis);
  const arrives = (place: InferenceProcess, { device }: Warm) => {
    for (let i = 0; i < batchOn(device); i++) turns.give(place);
  };
  const slots = Array.from({ length: count }, () => keepProcess(start, arrives, turns.withdraw));
  async function close(): Promise<void> {
    turns.close(new Error('The engine is closed'));
    await Promise.all(slots.map((slot) => slot.close()));
  }
  const [first] = await Promise.all(slots.map(({ warm }) => warm)).catch(async (error) => {
    await close();
    throw error;
  });
  if (!first) throw new Error('An engine needs at least one slot');

  /** One picture's turn; the place is given back when the child is done, even where nobody waits any more. */
  async function inTurn(order: Order, image: Uint8Array, turn: Turn = {}): Promise<Answer> {
    const askedAt = performance.now();
    const place = await turns.take(turn);
    const waitMillis = performance.now() - askedAt;
    if (turn.signal?.aborted) {
      turns.give(place);
      throw turn.signal.reason;
    }
    const done = place.run(order, image).finally(() => {
      if (place.isAlive()) turns.give(place);
    });
    const answer = await unlessAborted(done, turn.signal);
    observe?.({ waitMillis, batchSize: answer.batchSize });
    return answer;
  }
  return {
    ...first,
    batch: batchOn(first.device),
    async removeBackground(image, turn, { options, background } = {}) {
      const imageBytes = background && image.length;
      const sent = background ? Buffer.concat([image, background]) : image;
      const order: Order = { deed: 'cut-out', options, imageBytes };
      const { words, bytes } = await inTurn(order, sent, turn);
      return readCutOut(words, bytes);
    },
    async viewGarment(image, turn) {
      const { words } = await inTurn({ deed: 'view' }, image, turn);
      return readGarmentView(words);
    },
    async showCutOut(cutout, { background }, turn) {
      const { words, bytes } = await inTurn({ deed: 'show', background }, cutout, turn);
      return bytes.length > 0 ? readPicture(words, bytes) : undefined;
    },
    pids: () => slots.flatMap((slot) => slot.pids()),
    close,
  };
}
