import { clientError, SelvageError } from './error.ts';
import type { ClientOptions, RetryOptions, Timing } from './interface.ts';

/** When to try again, by what clock, and how long in all. */
export interface RetryPolicy extends Required<RetryOptions>, Timing {}

/** Rejects as soon as the signal aborts; the timer does not outlive it. */
function sleep(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(over, millis);
    signal.addEventListener('abort', over);
    if (signal.aborted) over();
  });
}

export const retryPolicy = ({ retry, timing }: ClientOptions): RetryPolicy => ({
  ...{ mostAttempts: 5, baseMillis: 500, mostMillis: 20_000, ...retry },
  ...{ sleep, now: () => performance.now(), random: Math.random, ...timing },
});

const AGAIN_BY_STATUS: readonly number[] = [429, 502, 503];
const AGAIN_BY_TYPE: readonly string[] = ['connection-failed', 'timeout'];

/**
 * Whether another attempt may fare better. A conflict counts only where an attempt of our own went
 * before: then it says that the service is still busy with that one.
 */
function isWorthRepeating(error: SelvageError, attempt: number): boolean {
  const { status, type, retryAfterSeconds, members } = error;
  if (status === 0) return AGAIN_BY_TYPE.includes(type);
  if (status === 409) {
    return attempt > 1 && (retryAfterSeconds !== undefined || 'offset' in members);
  }
  return AGAIN_BY_STATUS.includes(status);
}

/** Milliseconds to wait: what the service says, else exponential with full jitter; both for 502 and 503. */
function waitMillis(
  { status, retryAfterSeconds }: SelvageError,
  attempt: number,
  policy: RetryPolicy,
) {
  const told = (retryAfterSeconds ?? 0) * 1000;
  if (status === 429 && told > 0) return told;
  const { baseMillis, mostMillis, random } = policy;
  return Math.max(told, random() * Math.min(mostMillis, baseMillis * 2 ** (attempt - 1)));
}

/**
 * Waits before the next attempt.
 * @param attempt the number of the one that failed, from 1
 * @param deadline on the policy's clock; a wait that would pass it is not begun
 * @throws the error itself where no attempt is left or another would not help
 */
export async function waitToRepeat(
  error: unknown,
  attempt: number,
  policy: RetryPolicy,
  signal: AbortSignal,
  deadline = Number.POSITIVE_INFINITY,
): Promise<void> {
  if (!(error instanceof SelvageError)) throw error;
  if (attempt >= policy.mostAttempts || !isWorthRepeating(error, attempt)) throw error;
  const millis = waitMillis(error, attempt, policy);
  if (policy.now() + millis >= deadline) throw error;
  await policy.sleep(millis, signal);
}

/** A time limit that can be begun anew, and that stops with `end`. */
export interface TimeLimit {
  signal: AbortSignal;
  restart(): void;
  end(): void;
}

/** @param millis until its signal aborts with a SelvageError `timeout` */
export function timeLimit(millis: number): TimeLimit {
  const controller = new AbortController();
  const over = () =>
    controller.abort(
      clientError(
        'timeout',
        `The service was not done, or said nothing, for ${millis} milliseconds`,
      ),
    );
  let timer = setTimeout(over, millis);
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(over, millis);
    },
    end: () => clearTimeout(timer),
  };
}
