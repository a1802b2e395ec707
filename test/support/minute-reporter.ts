import type { Reporter } from 'vitest/node';

const MINUTE_MILLIS = 60_000;

/** What the reporter asks of Vitest's specifications and modules. */
type RunEvents = Pick<Reporter, 'onTestRunStart' | 'onTestRunEnd'> & {
  onTestModuleQueued(module: { relativeModuleId: string }): void;
  onTestModuleEnd(module: { relativeModuleId: string }): void;
};

/**
 * Says after each minute how many files are done and which ones run: a file is reported when it ends, and some take
 * longer than that.
 * @param say prints a line
 */
export function createMinuteReporter(say: (line: string) => void): RunEvents {
  const running = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let files = 0;
  let done = 0;
  let minutes = 0;

  function tell(): void {
    minutes++;
    say(`… ${minutes} min: ${done} of ${files} files done, running ${[...running].join(', ')}`);
  }
  return {
    onTestRunStart(specifications) {
      files = specifications.length;
      timer = setInterval(tell, MINUTE_MILLIS);
    },
    onTestModuleQueued: ({ relativeModuleId }) => void running.add(relativeModuleId),
    onTestModuleEnd({ relativeModuleId }) {
      running.delete(relativeModuleId);
      done++;
    },
    onTestRunEnd: () => clearInterval(timer),
  };
}
