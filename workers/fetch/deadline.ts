import { FetchError } from '../../src/platform/links/fetch-error.ts';

/** A deadline combined with the caller's signal. */
interface Deadline {
  /** Aborts with a FetchError: `timeout` or `aborted`. */
  signal: AbortSignal;
  /** Releases the timer and the listener; must be called when the work is done. */
  clear(): void;
}

/** @param millis time until the deadline */
export function startDeadline(millis: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const onAbort = () => controller.abort(new FetchError('aborted', { cause: caller?.reason }));
  const timer = setTimeout(() => controller.abort(new FetchError('timeout')), millis);
  if (caller?.aborted) onAbort();
  caller?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}
