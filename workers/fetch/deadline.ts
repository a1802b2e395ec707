import { FetchError } from './fetch-error.ts';

/** One deadline and the caller's wish to stop, as one signal. */
export interface Watch {
  /** Aborts with a FetchRefused: `timeout` or `aborted`. */
  signal: AbortSignal;
  /** Ends the watch; to be called when the work is over, or timer and listener stay. */
  end(): void;
}

/** @param millis until the deadline */
export function watchOver(millis: number, caller: AbortSignal | undefined): Watch {
  const controller = new AbortController();
  const callOff = () => controller.abort(new FetchError('aborted', { cause: caller?.reason }));
  const timer = setTimeout(() => controller.abort(new FetchError('timeout')), millis);
  if (caller?.aborted) callOff();
  caller?.addEventListener('abort', callOff, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', callOff);
    },
  };
}
