import { FetchError } from '../../src/platform/links/fetch-error.ts';

/** Combines a deadline with the caller's signal. @param millis time until the deadline */
export function startDeadline(millis: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  const onAbort = () => controller.abort(new FetchError('aborted', { cause: caller?.reason }));
  const timer = setTimeout(() => controller.abort(new FetchError('timeout')), millis);
  if (caller?.aborted) onAbort();
  caller?.addEventListener('abort', onAbort, { once: true });
  return {
    /** Aborts with a FetchError: `timeout` or `aborted`. */
    signal: controller.signal,
    /** Releases the timer and the listener; must be called when the work is done. */
    clear(): void {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}
