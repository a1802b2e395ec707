/** One input's part in a run. */
export interface Ran<O> {
  output: O;
  /** Inputs that ran together. */
  batchSize: number;
}

interface Waiting<I, O> {
  input: I;
  resolve(ran: Ran<O>): void;
  reject(error: unknown): void;
}

export interface BatchOptions {
  /** Inputs of one run, at most. */
  most: number;
  /** How long an input waits for others, at most. */
  delayMillis: number;
  /** Pictures in hand: those of which an input is here or may still come. */
  inHand(): number;
}

/**
 * Runs inputs together that come together. One run at a time; a run begins as soon as there are enough
 * inputs, nobody else is in hand, or the first has waited long enough.
 * @param runAll gives one output for each input
 */
export function inBatches<I, O>(
  runAll: (inputs: readonly I[]) => Promise<O[]>,
  { most, delayMillis, inHand }: BatchOptions,
): (input: I) => Promise<Ran<O>> {
  const line: Waiting<I, O>[] = [];
  let running = false;
  let delay: NodeJS.Timeout | undefined;

  async function run(batch: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const outputs = await runAll(batch.map(({ input }) => input));
      if (outputs.length !== batch.length) throw new Error('Outputs and inputs differ in number');
      outputs.forEach((output, i) => void batch[i]?.resolve({ output, batchSize: batch.length }));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
  /** Runs all that wait; who comes meanwhile has waited long enough when it is done. */
  async function runWaiting(): Promise<void> {
    clearTimeout(delay);
    delay = undefined;
    if (running) return;
    running = true;
    while (line.length > 0) await run(line.splice(0, most));
    running = false;
  }
  return (input) =>
    new Promise((resolve, reject) => {
      line.push({ input, resolve, reject });
      if (line.length >= Math.min(most, inHand())) void runWaiting();
      else delay ??= setTimeout(runWaiting, delayMillis);
    });
}
