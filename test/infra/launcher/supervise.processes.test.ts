import { describe, expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../../infra/launcher/processes.mjs';
import { restartPauseMillis, supervise } from '../../../infra/launcher/supervise.mjs';

type Pause = NonNullable<Parameters<typeof supervise>[0]['pause']>;

/** Until the process is stopped. */
const pauseForever: Pause = (_, signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Supervises a Node script and records all events. By default no restart waits. */
function keep(script: string, pause: Pause = async () => {}) {
  const pids: number[] = [];
  const lines: string[] = [];
  const troubles: string[] = [];
  const pauses: number[] = [];
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const supervised = supervise({
    name: 'worker',
    command: process.execPath,
    args: ['-e', script],
    options: {},
    onStart: (pid) => pids.push(pid),
    onLine(line) {
      lines.push(line);
      tell();
    },
    onWarning(text) {
      troubles.push(text);
      tell();
    },
    pause(millis, signal) {
      pauses.push(millis);
      return pause(millis, signal);
    },
  });
  onTestFinished(() => supervised.stop(0));
  /** Resolves as soon as a condition holds. */
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
    });
  return { ...supervised, pids, lines, troubles, pauses, until };
}

const STAY = 'setInterval(() => {}, 1000);';
const SAY = (word: string) => `console.log('${word}');`;

describe('a supervised process', () => {
  test('is restarted when it is killed', async () => {
    const worker = keep(SAY('up') + STAY);
    await worker.until(() => worker.lines.length === 1);
    worker.ready();
    process.kill(worker.pids[0]!, 'SIGKILL');
    await worker.until(() => worker.lines.length === 2);
    expect(worker.troubles).toEqual([
      'worker exited unexpectedly (SIGKILL); restarting it in 0.25 s',
    ]);
    expect(worker.pids).toHaveLength(2);
    await worker.stop(10_000);
    expect(worker.pids.filter(isAlive)).toEqual([]);
  });

  test('is restarted however often it exits, after pauses that double', async () => {
    const worker = keep(`console.error('out of luck'); process.exit(4)`);
    worker.ready();
    await worker.until(() => worker.troubles.length === 6);
    expect(worker.troubles.slice(0, 3)).toEqual(
      ['0.25', '0.5', '1'].map(
        (seconds) => `worker exited unexpectedly (exit code 4); restarting it in ${seconds} s`,
      ),
    );
    expect(worker.pids).toHaveLength(6);
    expect(worker.pauses).toEqual([250, 500, 1000, 2000, 4000, 8000]);
    expect(worker.lines).toContain('out of luck');
  });

  test.each([
    [undefined, 0, 250],
    [250, 100, 500],
    [16_000, 59_000, 30_000],
    [30_000, 1000, 30_000],
    [30_000, 60_000, 250],
  ])('after a pause of %s ms and a run of %s ms pauses for %s ms', (last, ran, pause) => {
    expect(restartPauseMillis(last, ran)).toBe(pause);
  });

  test('is not restarted if it was never ready; its last output is shown', async () => {
    const worker = keep(`for (let i = 0; i < 30; i++) console.error('line ' + i); process.exit(1)`);
    await expect(worker.failed).rejects.toThrow(/cannot start \(exit code 1\)\.\n {2}line 10\n/);
    expect(worker.pids).toHaveLength(1);
  });

  test('is not restarted after a stop, even during the pause before a restart', async () => {
    const worker = keep('process.exit(1)', pauseForever);
    worker.ready();
    await worker.until(() => worker.troubles.length === 1);
    await worker.stop(10_000);
    await expect(Promise.race([worker.failed, worker.stop(0)])).resolves.toBeUndefined();
    expect(worker.pids).toHaveLength(1);
  });

  test('is killed with its children if it ignores the signal', async () => {
    const worker = keep(
      `process.on('SIGTERM', () => {});
       const { spawn } = require('node:child_process');
       console.log(spawn(process.execPath, ['-e', '${STAY}']).pid);`,
    );
    await worker.until(() => worker.lines.length === 1);
    await worker.stop(0);
    expect(isAlive(worker.pids[0]!)).toBe(false);
    // Killed too, but not a child of ours that could be waited for.
    await expect.poll(() => isAlive(Number(worker.lines[0]))).toBe(false);
  });
});
