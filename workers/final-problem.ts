import { Problem } from '../src/platform/problem.ts';
import { FetchError } from './fetch/safe-fetch.ts';
import { linkProblem } from './fetch-input.ts';
import { isUnavailable } from './unavailable.ts';

/** Returns the problem that ends work on an image for good; undefined if another attempt may help. */
export function finalProblem(error: unknown, isLastTry: boolean): Problem | undefined {
  if (isUnavailable(error)) return undefined;
  if (error instanceof Problem) return error;
  if (error instanceof FetchError && (isLastTry || !error.retryable)) return linkProblem(error);
  if (!isLastTry) return undefined;
  return new Problem('upstream-failed', 'The work failed several times; send the image again', {
    cause: error,
  });
}
