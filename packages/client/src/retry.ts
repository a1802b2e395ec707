import { clientError, SelvageError } from './error.ts';
import type { ClientOptions, Timing } from './interface.ts';

/** When to retry, and by which clock. */
export interface RetryPolicy extends Timing {
  /** Undefined: until the deadline of the call, or five times if it has none. */
  maxAttempts: number | undefined;
  baseMillis: number;
  maxDelayMillis: number;
}

/** Rejects as soon as the signal aborts; the timer does not outlive it. */
function sleep(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(finish, millis);
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
}

/** Returns the policy of a client. Deprecated options count only without their successors. */
export function createRetryPolicy({ retry = {}, timing }: ClientOptions): RetryPolicy {
  return {
    maxAttempts: retry.maxAttempts ?? retry.mostAttempts,
    baseMillis: retry.baseMillis ?? 500,
    maxDelayMillis: retry.maxDelayMillis ?? retry.mostMillis ?? 20_000,
    sleep,
    now: () => performance.now(),
    random: Math.random,
    ...timing,
  };
}

/** Attempts of a call without a deadline. */
const MAX_ATTEMPTS = 5;

const RETRIED_STATUSES: readonly number[] = [429, 502, 503];
const RETRIED_TYPES: readonly string[] = ['connection-failed', 'timeout'];

/** After an attempt of our own, such a conflict means that the service is still processing that one. */
const isInProgress = (
  { status, retryAfterSeconds, members }: SelvageError,
  attempt: number,
): boolean =>
  status === 409 && attempt > 1 && (retryAfterSeconds !== undefined || 'offset' in members);

/** Whether another attempt may succeed. */
const isRetryable = ({ status, type }: SelvageError): boolean =>
  status === 0 ? RETRIED_TYPES.includes(type) : RETRIED_STATUSES.includes(status);

/**
 * Milliseconds to wait: what the service says, else exponential backoff with full jitter. For 502
 * and 503 the longer of the two.
 */
function delayMillis(
  { status, retryAfterSeconds }: SelvageError,
  attempt: number,
  policy: RetryPolicy,
): number {
  const retryAfterMillis = (retryAfterSeconds ?? 0) * 1000;
  if (status === 429 && retryAfterMillis > 0) return retryAfterMillis;
  const { baseMillis, maxDelayMillis, random } = policy;
  const backoffMillis = Math.min(maxDelayMillis, baseMillis * 2 ** (attempt - 1));
  return Math.max(retryAfterMillis, random() * backoffMillis);
}

/**
 * Waits before the next attempt.
 * @param attempt the number of the attempt that failed, from 1
 * @param deadline on the policy's clock; a wait that would pass it is not started
 * @throws the error itself if no attempt is left or another would not help
 */
export async function waitToRetry(
  error: unknown,
  attempt: number,
  policy: RetryPolicy,
  signal: AbortSignal,
  deadline = Number.POSITIVE_INFINITY,
): Promise<void> {
  if (!(error instanceof SelvageError)) throw error;
  // What is in progress is waited for until the deadline.
  const isBounded = Number.isFinite(deadline);
  const { maxAttempts = isBounded ? Number.POSITIVE_INFINITY : MAX_ATTEMPTS } = policy;
  const mayTry = attempt < maxAttempts && isRetryable(error);
  if (!mayTry && !isInProgress(error, attempt)) throw error;
  const millis = delayMillis(error, attempt, policy);
  if (policy.now() + millis >= deadline) throw error;
  await policy.sleep(millis, signal);
}

/** A time limit that can be restarted and cleared. */
interface TimeLimit {
  signal: AbortSignal;
  restart(): void;
  clear(): void;
}

/**
 * @param millis until its signal aborts with a SelvageError `timeout`
 * @param requestId of what is limited
 */
export function startTimeLimit(millis: number, requestId?: string): TimeLimit {
  const controller = new AbortController();
  const expire = () =>
    controller.abort(
      clientError(
        'timeout',
        `The service did not finish or sent nothing for ${millis} milliseconds`,
        { requestId },
      ),
    );
  let timer = setTimeout(expire, millis);
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(expire, millis);
    },
    clear: () => clearTimeout(timer),
  };
}
