/** The output for one input of a run. */
interface BatchedOutput<O> {
  output: O;
  /** Inputs that ran together. */
  batchSize: number;
}

interface QueuedInput<I, O> {
  input: I;
  resolve(result: BatchedOutput<O>): void;
  reject(error: unknown): void;
}

interface MicroBatchOptions {
  /** Maximum inputs of one run. */
  maxSize: number;
  /** How long an input waits for others at most. */
  delayMillis: number;
  /** Images in progress, whose input has arrived or may still come. */
  inFlight(): number;
}

/**
 * Runs inputs that arrive together as one batch. There is one run at a time; it starts when the batch is full, when no
 * other image is in flight, or when the first input has waited for the delay.
 * @param runAll returns one output for each input
 */
export function createMicroBatcher<I, O>(
  runAll: (inputs: readonly I[]) => Promise<O[]>,
  { maxSize, delayMillis, inFlight }: MicroBatchOptions,
): (input: I) => Promise<BatchedOutput<O>> {
  const queue: QueuedInput<I, O>[] = [];
  let running = false;
  let delay: NodeJS.Timeout | undefined;

  async function run(batch: readonly QueuedInput<I, O>[]): Promise<void> {
    try {
      const outputs = await runAll(batch.map(({ input }) => input));
      if (outputs.length !== batch.length) throw new Error('Outputs and inputs differ in number');
      outputs.forEach((output, i) => void batch[i]?.resolve({ output, batchSize: batch.length }));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
  /** Runs all queued inputs, including those that arrive meanwhile: they have waited for a whole run. */
  async function drainQueue(): Promise<void> {
    clearTimeout(delay);
    delay = undefined;
    if (running) return;
    running = true;
    while (queue.length > 0) await run(queue.splice(0, maxSize));
    running = false;
  }
  return (input) =>
    new Promise((resolve, reject) => {
      queue.push({ input, resolve, reject });
      if (queue.length >= Math.min(maxSize, inFlight())) void drainQueue();
      else delay ??= setTimeout(drainQueue, delayMillis);
    });
}
