import { Problem } from '../src/problem.ts';
import { isAway } from './away.ts';
import { refusedLink } from './fetch-input.ts';
import { FetchRefused } from './safe-fetch.ts';

/** What ends work on an image for good, in words for the client; nothing where trying again may help. */
export function finalProblem(error: unknown, isLastTry: boolean): Problem | undefined {
  if (isAway(error)) return undefined;
  if (error instanceof Problem) return error;
  if (error instanceof FetchRefused && (isLastTry || !error.retryable)) return refusedLink(error);
  if (!isLastTry) return undefined;
  return new Problem('upstream-failed', 'The work failed several times; send the image again', {
    cause: error,
  });
}
