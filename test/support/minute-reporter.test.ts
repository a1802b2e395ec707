import { expect, onTestFinished, test, vi } from 'vitest';
import { createMinuteReporter } from './minute-reporter.ts';

test('says after each minute what runs, until the run ends', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const reporter = createMinuteReporter((line) => lines.push(line));
  const file = (relativeModuleId: string) => ({ relativeModuleId });
  reporter.onTestRunStart?.(Array(3).fill(undefined));
  reporter.onTestModuleQueued(file('test/a.test.ts'));
  reporter.onTestModuleQueued(file('test/b.test.ts'));
  vi.advanceTimersByTime(60_000);
  reporter.onTestModuleEnd(file('test/a.test.ts'));
  reporter.onTestModuleQueued(file('test/c.test.ts'));
  vi.advanceTimersByTime(60_000);
  reporter.onTestRunEnd?.([], [], 'passed');
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual([
    '… 1 min: 0 of 3 files done, running test/a.test.ts, test/b.test.ts',
    '… 2 min: 1 of 3 files done, running test/b.test.ts, test/c.test.ts',
  ]);
});
