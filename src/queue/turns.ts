import { z } from 'zod';
import type { Size } from '../imaging/layout.ts';
import { reachBox } from '../imaging/strokes/cells.ts';
import type { Stroke } from '../output/strokes.ts';

/*
 * What a piece of work costs, and whose turn it is for what one process has to share: slots of the engine, fetches,
 * threads. For the jobs of all processes, which wait in Redis, queue.ts decides by the same rule.
 */

/** How long a slot of a worker takes for an image: `fixedMillis + megapixelMillis * megapixels`. */
export const ServiceTime = z.object({
  fixedMillis: z.number().nonnegative(),
  megapixelMillis: z.number().nonnegative(),
  /** Mean size of the newest images that clients waited for. */
  megapixels: z.number().nonnegative(),
});
export type ServiceTime = z.infer<typeof ServiceTime>;

/** Assumed of a worker that has processed nothing lately: about twice what a quiet core takes. */
export const DEFAULT_SERVICE_TIME: ServiceTime = {
  fixedMillis: 450,
  megapixelMillis: 50,
  megapixels: 1,
};

/** @param megapixels of the image; by default those of a typical one */
export const serviceMillis = (
  { fixedMillis, megapixelMillis, megapixels: typical }: ServiceTime,
  megapixels = typical,
): number => fixedMillis + megapixelMillis * megapixels;

/**
 * Megapixels of a plain removal that take as long as solving for one stroke, and as applying it to a megapixel that it
 * reaches; docs/adr/0086-fairness-in-work.md has the measurements.
 */
const STROKE = { solving: 1.5, reached: 0.5 } as const;

/**
 * Returns what an image costs, in megapixels: those of the image whose plain removal takes as long. All prices come
 * from it: admission, turns, quota and the time that an inference child gets.
 */
export function pricedMegapixels(size: Size, strokes: readonly Stroke[] = []): number {
  let priced = (size.width * size.height) / 1e6;
  for (const stroke of strokes) {
    const { width, height } = reachBox(stroke, size);
    priced += STROKE.solving + (STROKE.reached * width * height) / 1e6;
  }
  return priced;
}

/** More work would give tags that are too large for the queue. */
const MAX_TURNS = 64;

/** Returns the work of an image in turns: one for a typical picture, 6 for one of 50 megapixels; at most 64. */
export const turnsOf = (megapixels: number): number => {
  const turns =
    serviceMillis(DEFAULT_SERVICE_TIME, megapixels) / serviceMillis(DEFAULT_SERVICE_TIME);
  return Math.min(MAX_TURNS, Math.max(1, Math.round(10 * turns) / 10));
};

/** From so many turns on work is heavy: more than a removal of the largest picture that is accepted by default. */
const HEAVY_TURNS = 8;
export const isHeavy = (turns: number): boolean => turns >= HEAVY_TURNS;

/** Returns how many removals of the largest pictures the work is as much as, at least 1. */
export const unitsOf = (turns: number): number => Math.max(1, Math.floor(turns / HEAVY_TURNS));

/** Weight of the newest image. */
const NEWEST_WEIGHT = 0.1;
const HALF_LIFE_MILLIS = 60_000;
/** The default counts like so many images, at either end of the line, which never age. */
const DEFAULT_IMAGES = 0.5;
const DEFAULT_MEGAPIXELS = [1, 50];

/** Sums of least squares over images with weights: of 1, x, y, x² and xy, for x megapixels that took y ms. */
type Sums = readonly [one: number, x: number, y: number, xx: number, xy: number];

/** Errors count relative to the time by default: else the largest images would decide alone. */
function sumsOf(x: number, y: number, images: number): Sums {
  const weight = images / serviceMillis(DEFAULT_SERVICE_TIME, x) ** 2;
  return [weight, weight * x, weight * y, weight * x * x, weight * x * y];
}

const add = (a: Sums, b: Sums, share = 1): Sums =>
  a.map((sum, index) => sum + share * (b[index] ?? 0)) as unknown as Sums;

const DEFAULT_SUMS = DEFAULT_MEGAPIXELS.map((x) =>
  sumsOf(x, serviceMillis(DEFAULT_SERVICE_TIME, x), DEFAULT_IMAGES),
).reduce((a, b) => add(a, b));

/** The line nearest to the images, of those that fall nowhere and start at zero or above. */
function lineOf([one, x, y, xx, xy]: Sums): Omit<ServiceTime, 'megapixels'> {
  const slope = (one * xy - x * y) / (one * xx - x * x);
  if (slope <= 0) return { fixedMillis: y / one, megapixelMillis: 0 };
  const fixedMillis = (y - slope * x) / one;
  if (fixedMillis < 0) return { fixedMillis: 0, megapixelMillis: xy / xx };
  return { fixedMillis, megapixelMillis: slope };
}

/**
 * Learns a worker's service time from its images: a line by weighted least squares, as the network takes the same time
 * for every image and the rest grows with its pixels. Each image counts 0.9 times as much as the next, and half as much
 * after a minute; half an image with the default time stands at 1 and at 50 megapixels and does not age. So one huge
 * image does not price small ones, and without new images the estimate returns to the default. Instants are
 * milliseconds of any one clock.
 */
export class ServiceTimes {
  #sums: Sums = [0, 0, 0, 0, 0];
  #megapixels = DEFAULT_SERVICE_TIME.megapixels;
  #agedAt = 0;

  #age(now: number): void {
    const share = 0.5 ** ((now - this.#agedAt) / HALF_LIFE_MILLIS);
    const { megapixels } = DEFAULT_SERVICE_TIME;
    this.#sums = add([0, 0, 0, 0, 0], this.#sums, share);
    this.#megapixels = megapixels + share * (this.#megapixels - megapixels);
    this.#agedAt = now;
  }

  /** Adds one image. @param isAwaited whether a client waited for it */
  observe(image: { megapixels: number; millis: number; isAwaited: boolean }, now: number): void {
    const { megapixels, millis, isAwaited } = image;
    this.#age(now);
    this.#sums = add(sumsOf(megapixels, millis, 1), this.#sums, 1 - NEWEST_WEIGHT);
    if (isAwaited) this.#megapixels += NEWEST_WEIGHT * (megapixels - this.#megapixels);
  }

  at(now: number): ServiceTime {
    this.#age(now);
    return { ...lineOf(add(this.#sums, DEFAULT_SUMS)), megapixels: this.#megapixels };
  }
}

/** Whose turn a job takes. */
export interface TurnOwner {
  client: string;
  /** Turns for each turn of a client with weight 1; 1 to 16. */
  weight: number;
  /** Predicted work of the job, in turns; see `turnsOf`. 1 by default. */
  work?: number | undefined;
}

/**
 * A queue in memory whose clients take turns by virtual time, which runs at the speed of the work done for each of
 * them, by weight.
 */
export class TurnQueue<T> {
  readonly #tags = new Map<T, { start: number; end: number }>();
  /** By client: the end of its last turn. */
  readonly #ends = new Map<string, number>();

  add({ client, weight, work = 1 }: TurnOwner, item: T): void {
    if (this.#tags.size === 0) this.#ends.clear();
    const next = this.first();
    const current = next === undefined ? 0 : (this.#tags.get(next)?.start ?? 0);
    const start = Math.max(current, this.#ends.get(client) ?? 0);
    const end = start + work / weight;
    this.#tags.set(item, { start, end });
    this.#ends.set(client, end);
  }

  delete(item: T): void {
    this.#tags.delete(item);
  }

  /** Returns the item whose turn it is, of those that may start now; it stays in the queue. */
  first(mayStart: (item: T) => boolean = () => true): T | undefined {
    let found: T | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [item, { end }] of this.#tags) {
      if (end >= lowest || !mayStart(item)) continue;
      found = item;
      lowest = end;
    }
    return found;
  }

  items(): T[] {
    return [...this.#tags.keys()];
  }
}

/** A request that waits for its turn. It leaves the queue when it is granted or rejected. */
export interface Waiter<P, R> {
  readonly request: R;
  grant(permit: P): void;
  reject(reason: unknown): void;
}

/**
 * Waits in a queue until somebody grants the request.
 * @param patience after which the waiting ends with an error
 * @throws the signal's reason
 */
export function waitForTurn<P, R>(
  queue: TurnQueue<Waiter<P, R>>,
  owner: TurnOwner,
  request: R,
  signal: AbortSignal | undefined,
  patience?: { millis: number; error: Error },
): Promise<P> {
  return new Promise((resolve, reject) => {
    const leaveTo =
      <T>(settle: (outcome: T) => void) =>
      (outcome: T): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        queue.delete(waiter);
        settle(outcome);
      };
    const waiter = { request, grant: leaveTo(resolve), reject: leaveTo(reject) };
    const onAbort = () => waiter.reject(signal?.reason);
    const timer =
      patience && Number.isFinite(patience.millis)
        ? setTimeout(() => waiter.reject(patience.error), patience.millis)
        : undefined;
    signal?.addEventListener('abort', onAbort, { once: true });
    queue.add(owner, waiter);
  });
}
