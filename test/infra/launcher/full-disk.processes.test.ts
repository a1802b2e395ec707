import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { isProcess, waitForExit } from '../../../infra/launcher/processes.mjs';
import { isMissing } from '../../support/requirement.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { runLauncher } from './run-launcher.ts';

const disk = mountSmallDisk(64 * 2 ** 20);
const isSkipped = isMissing('mount', disk !== undefined, 'this process may not mount a disk');
afterEach(() => disk?.free().catch(() => {})); // it may be free already
afterAll(() => disk?.remove());

const home = () => join(disk?.path ?? '', 'home');
const textOf = (file: string) => readFile(join(home(), file), 'utf8');

/** The children of a process, from /proc. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = threads.map((id) => readFile(`/proc/${pid}/task/${id}/children`, 'utf8'));
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

const workersOf = async (launcher: number): Promise<number[]> =>
  (await childrenOf(launcher)).filter((pid) => isProcess(pid, 'workers/main.'));

test.skipIf(isSkipped)(
  'a full disk stops the logs, and no process is without its supervisor',
  async () => {
    if (!disk) return;
    const launcher = runLauncher(disk.path, ['start', '--json'], {
      PORT: '0',
      WORKER_CONCURRENCY: '1',
    });
    const { url, pids } = JSON.parse(await launcher.line((line) => line.startsWith('{')));
    /** Each leaves a line in the gateway's log. */
    const ask = () => fetch(`${url}/intake/v1/usage`).then(({ status }) => status);

    await disk.fill();
    for (let i = 0; i < 100; i++) await ask(); // the last page of a file has room
    await launcher.line((line) => line.includes('gateway.log cannot be written (ENOSPC'));
    for (const name of ['worker', 'worker'] as const) {
      const [worker = 0] = await workersOf(launcher.pid);
      process.kill(worker, 'SIGKILL');
      await waitForExit(worker, 10_000);
      await launcher.line((line) => line.startsWith(`${name} exited unexpectedly (SIGKILL)`));
      await expect.poll(() => workersOf(launcher.pid)).not.toEqual([]);
      expect(await workersOf(launcher.pid)).not.toContain(worker);
    }
    expect(await ask()).toBe(401);
    expect(isProcess(pids.gateway, 'src/main.')).toBe(true);

    await disk.free();
    await expect
      .poll(async () => {
        await ask();
        return textOf('logs/gateway.log');
      })
      .toContain('"msg":"lines are missing here: the log could not be written","lines":');
    await launcher.line((line) => line.includes('gateway.log is written again'));
    const last = (await textOf('logs/gateway.log')).trimEnd().split('\n').at(-1);
    expect(JSON.parse(last ?? '')).toMatchObject({ process: 'gateway' });
    // What a command or the next start finds is right again, too.
    const noted = async () => JSON.parse(await textOf('instance.json')).pids.worker;
    await expect
      .poll(async () => (await workersOf(launcher.pid)).includes(await noted()))
      .toBe(true);
    const isReady = () => fetch(`${url}/readyz`).then(({ status }) => status);
    await expect.poll(isReady).toBe(200);
    expect(await launcher.end('SIGINT')).toBe(0);
  },
);

test.skipIf(isSkipped)(
  'a start on a full disk leaves nothing that stops the next one',
  async () => {
    if (!disk) return;
    await disk.fill();
    const full = runLauncher(disk.path, ['start'], { PORT: '0' });
    expect(await full.ended()).toBe(1);
    expect(full.output()).toMatch(/ENOSPC: no space left on device[^\n]*instance\.json/);
    expect(full.output()).not.toContain('    at ');
    await disk.free();
    const next = runLauncher(disk.path, ['start', '--json'], {
      PORT: '0',
      WORKER_CONCURRENCY: '1',
    });
    await next.line((line) => line.startsWith('{'));
    expect(await next.end('SIGINT')).toBe(0);
  },
);

test.skipIf(isSkipped)('a start on a read-only disk says so in one line', async () => {
  if (!disk) return;
  disk.lock();
  const launcher = runLauncher(disk.path, ['start'], {
    PORT: '0',
    SELVAGE_HOME: join(disk.path, 'other'),
  });
  expect(await launcher.ended()).toBe(1);
  expect(launcher.output()).toContain('EROFS: read-only file system');
  expect(launcher.output()).toContain('set SELVAGE_HOME to a folder on another');
  expect(launcher.output()).not.toContain('    at ');
});
