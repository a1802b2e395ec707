import { WrongImage } from '../../src/intake/wrong-image.ts';
import { Problem } from '../../src/platform/problem.ts';
import { LocationUnavailable } from '../../src/storage/locations/location.ts';
import type { AttemptContext } from '../attempt.ts';
import { PoolBusy } from '../fetch/fetch-pool.ts';
import { FetchError } from '../fetch/safe-fetch.ts';
import { isUnavailable } from '../unavailable.ts';
import { linkProblem } from './read-input.ts';

/** Whether a failed fetch is not tried again. A slow server gets one more chance. */
export const isFinal = (
  { retryable, isSlow }: FetchError,
  { isLast, number }: Pick<AttemptContext, 'isLast' | 'number'>,
): boolean => isLast || !retryable || (isSlow && number > 1);

/** Returns the problem that ends work on an image for good; undefined if another attempt may help. */
export function finalProblem(
  error: unknown,
  attempt: Pick<AttemptContext, 'isLast' | 'number'>,
): Problem | undefined {
  if (isUnavailable(error) || error instanceof PoolBusy) return undefined;
  if (error instanceof Problem) return error;
  if (error instanceof FetchError && isFinal(error, attempt)) return linkProblem(error);
  // Its source tries it again, after a pause that holds up no other object.
  if (error instanceof LocationUnavailable) {
    return new Problem('upstream-unavailable', error.message, { cause: error });
  }
  if (!attempt.isLast) return undefined;
  return new Problem('upstream-failed', 'The work failed several times; send the image again', {
    cause: error,
  });
}

/** Returns why work on an image ended, in one word: `http-503`, `timeout`, `quota-exceeded`. */
export const problemCode = (problem: Problem): string => {
  const { type, cause } = problem;
  if (problem instanceof WrongImage) return problem.code;
  if (!(cause instanceof FetchError)) return type;
  return cause.status === undefined ? cause.reason : `http-${cause.status}`;
};
