import { Problem } from '../src/platform/problem.ts';
import { FetchError } from './fetch/safe-fetch.ts';
import { refusedLink } from './fetch-input.ts';
import { isUnavailable } from './unavailable.ts';

/** What ends work on an image for good, in words for the client; nothing where trying again may help. */
export function finalProblem(error: unknown, isLastTry: boolean): Problem | undefined {
  if (isUnavailable(error)) return undefined;
  if (error instanceof Problem) return error;
  if (error instanceof FetchError && (isLastTry || !error.retryable)) return refusedLink(error);
  if (!isLastTry) return undefined;
  return new Problem('upstream-failed', 'The work failed several times; send the image again', {
    cause: error,
  });
}
