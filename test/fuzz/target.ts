import { crc32 } from 'node:zlib';
import { createRandom, type Random } from '../faults/random.ts';

/** A fuzz target, exported by the file named after it. */
export interface Target {
  /**
   * Checks the parser's invariants for an input.
   * @throws AssertionError, or any error the parser must not throw
   */
  fuzz(input: Buffer): void | Promise<void>;
  /** Seed inputs: small, each of another kind. */
  seeds: readonly Input[];
  /** Inputs that once failed. */
  regressions: readonly Input[];
  /** Words that random mutation would not find. */
  dictionary: readonly string[];
}

/** Text is encoded as UTF-8. */
export type Input = string | Uint8Array;

export const bytesOf = (input: Input): Buffer =>
  typeof input === 'string' ? Buffer.from(input) : Buffer.from(input);

/** Returns a generator seeded by the input: failures are reproducible. */
export const randomFor = (input: Uint8Array): Random => createRandom(crc32(input));

const MAX_CUTS = 12;

/** Splits the input at random offsets; some parts are one byte long, which splits characters and tokens. */
export function splitAtRandom(input: Buffer): Buffer[] {
  const chance = randomFor(input);
  const cuts = Array.from({ length: chance.below(MAX_CUTS + 1) }, () => chance.below(input.length));
  const offsets = cuts.flatMap((at) => (chance.below(2) === 0 ? [at] : [at, at + 1]));
  const ends = [...new Set([0, ...offsets, input.length])].sort((a, b) => a - b);
  return ends.slice(1).map((end, i) => input.subarray(ends[i], end));
}

type ErrorClass = abstract new (...parts: never[]) => Error;

/** Returns the parser's result or the rejection it throws; other errors are rethrown. */
export function orRejection<T, E extends ErrorClass>(
  read: () => T,
  rejection: E,
): T | InstanceType<E> {
  try {
    return read();
  } catch (error) {
    if (isInstance(error, rejection)) return error;
    throw error;
  }
}

export const isInstance = <E extends ErrorClass>(
  error: unknown,
  kind: E,
): error is InstanceType<E> => error instanceof kind;
