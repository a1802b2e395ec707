import { crc32 } from 'node:zlib';
import { createRandom, type Random } from '../faults/random.ts';

/** One parser of ours under fuzzing, as the file named after it exports it. */
export interface Target {
  /**
   * What holds of the parser for any input.
   * @throws whatever breaks it: an AssertionError, or what the parser must not throw
   */
  holds(input: Buffer): void | Promise<void>;
  /** Inputs to begin with: small, and each of another kind. */
  seeds: readonly Input[];
  /** Inputs that once broke it. */
  found: readonly Input[];
  /** Words that chance alone would not come upon. */
  words: readonly string[];
}

/** Text stands for its UTF-8. */
export type Input = string | Uint8Array;

export const bytesOf = (input: Input): Buffer =>
  typeof input === 'string' ? Buffer.from(input) : Buffer.from(input);

/** Chance that depends on the input alone, so that an input that broke something breaks it again. */
export const chanceOf = (input: Uint8Array): Random => createRandom(crc32(input));

const MOST_CUTS = 12;

/** The input in pieces: cut anywhere, some of them short, as where a character or a word is torn apart. */
export function cut(input: Buffer): Buffer[] {
  const chance = chanceOf(input);
  const cuts = Array.from({ length: chance.below(MOST_CUTS + 1) }, () =>
    chance.below(input.length),
  );
  const torn = cuts.flatMap((at) => (chance.below(2) === 0 ? [at] : [at, at + 1]));
  const ends = [...new Set([0, ...torn, input.length])].sort((a, b) => a - b);
  return ends.slice(1).map((end, i) => input.subarray(ends[i], end));
}

type ErrorClass = abstract new (...parts: never[]) => Error;

/** What the parser gives, or the refusal it throws; what is no such refusal is thrown on. */
export function orRefusal<T, E extends ErrorClass>(
  read: () => T,
  refusals: E,
): T | InstanceType<E> {
  try {
    return read();
  } catch (error) {
    if (isOf(error, refusals)) return error;
    throw error;
  }
}

export const isOf = <E extends ErrorClass>(error: unknown, kind: E): error is InstanceType<E> =>
  error instanceof kind;
