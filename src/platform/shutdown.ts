/**
 * Stops the process at the first SIGTERM or SIGINT: exits with 0 when `stop` resolves, with 1 if that
 * takes longer than `limitMillis`. Later signals are ignored.
 */
export function stopOnSignal(
  stop: (signalName: string) => Promise<void>,
  limitMillis: number,
): void {
  let isStopping = false;
  async function run(signalName: string): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), limitMillis).unref();
    await stop(signalName);
    process.exit(0); // a trace exporter without a collector would keep retrying
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => void run(name));
}
