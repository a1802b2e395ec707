/** Set for the project `long`, which runs the files of random cases again (vitest.config.ts). */
const HAS_TIME = process.env.TEST_CASES === 'all';

/** For fast-check: so many random cases where there is time, elsewhere a fifth of them, always the same. */
export const randomRuns = (numRuns: number): { numRuns: number; seed?: number } =>
  HAS_TIME ? { numRuns } : { numRuns: Math.ceil(numRuns / 5), seed: 1 };

/** All cases where there is time, elsewhere the first of every so many. */
export const someOf = <T>(all: readonly T[], every: number): readonly T[] =>
  HAS_TIME ? all : all.filter((_, at) => at % every === 0);
