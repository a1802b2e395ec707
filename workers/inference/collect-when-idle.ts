/** How long a process rests before it collects its garbage. */
const IDLE_MILLIS = 10_000;

/**
 * Returns a function that runs a task and collects garbage once no task has run for a while. A process that rests does
 * not collect by itself, and would keep the buffers of the last images: some 200 MiB of 50 megapixels.
 *
 * @param collect - a full collection: `gc` of a process that was started with `--expose-gc`
 */
export function createIdleCollector(
  collect: (() => void) | undefined,
): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  return async (task) => {
    running++;
    clearTimeout(timer);
    try {
      return await task();
    } finally {
      running--;
      if (running === 0) timer = setTimeout(() => collect?.(), IDLE_MILLIS).unref();
    }
  };
}
