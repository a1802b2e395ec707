/** How long a process rests before it collects its garbage. */
const IDLE_MILLIS = 10_000;
/**
 * Memory outside the heap from which on a collection is worth it: what V8 has compiled for objects of which none is alive
 * goes with them, so the next image takes two to three times as long. Images of up to 12 megapixels leave less than 128 MiB,
 * of which a collection gives back 30 at most.
 */
const MIN_EXTERNAL_BYTES = 128 * 2 ** 20;

const externalBytesNow = (): number => process.memoryUsage().external;

/**
 * Returns a function that runs a task and collects garbage once no task has run for a while, if there is much. A process
 * that rests does not collect by itself, and would keep the buffers of the last images: some 200 MiB of 50 megapixels.
 *
 * @param collect - a full collection: `gc` of a process that was started with `--expose-gc`
 * @param externalBytes - memory outside the heap that JavaScript holds
 */
export function createIdleCollector(
  collect: (() => void) | undefined,
  externalBytes = externalBytesNow,
): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  const collectMuch = () => {
    if (externalBytes() >= MIN_EXTERNAL_BYTES) collect?.();
  };
  return async (task) => {
    running++;
    clearTimeout(timer);
    try {
      return await task();
    } finally {
      running--;
      if (running === 0) timer = setTimeout(collectMuch, IDLE_MILLIS).unref();
    }
  };
}
