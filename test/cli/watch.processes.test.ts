import { appendFile, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { drawnShirt } from '../support/images.ts';
import { useFolder } from '../support/use-folder.ts';
import { useSharedStack } from '../support/use-stack.ts';
import { parseJsonLines, selvage, startSelvage, waitForExit } from './command.ts';

const LEDGER = 'selvage-watch.ndjson';

const { stack, key, intake } = await useSharedStack();
const home = await useFolder();
const env = { SELVAGE_HOME: join(home, 'home'), SELVAGE_URL: stack.url, SELVAGE_KEY: key };

const shirtOf = (width: number) => drawnShirt({ width, height: 120, format: 'jpeg' });

/** Creates two folders: one with these files, one for the cut-outs. */
async function foldersWith(name: string, files: Record<string, Uint8Array | string>) {
  const from = join(home, name, 'in');
  const to = join(home, name, 'out');
  await mkdir(join(from, 'sub'), { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(from, file), content);
  return { from, to };
}

const watchOnce = (from: string, to: string, ...more: string[]) =>
  selvage(['watch', from, '--to', to, '--once', '--json', ...more], env);

const linesOf = async (to: string) => parseJsonLines(await readFile(join(to, LEDGER), 'utf8'));
const endedOf = async (to: string) =>
  (await linesOf(to)).filter(({ status }) => status !== 'started').map(({ file }) => file);

const { quotaLeft } = intake;

describe('watch --once', () => {
  test('cuts out each photo once, and again when it has changed', async () => {
    const { from, to } = await foldersWith('once', {
      'a.jpg': await shirtOf(100),
      'sub/b.jpg': await shirtOf(104),
      'broken.png': 'no photo',
      'notes.txt': 'no photo either',
    });
    const first = await watchOnce(from, to);
    expect(first.code).toBe(1);
    expect(first.stderr).toMatch(/^broken\.png: .*\n/);
    const lines = parseJsonLines(first.stdout);
    expect(lines).toHaveLength(3);
    expect(lines).toContainEqual(
      expect.objectContaining({
        ...{ file: 'sub/b.jpg', status: 'succeeded', output: 'sub/b.png' },
        ...{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), confidence: expect.any(Number) },
      }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({
        ...{ file: 'broken.png', status: 'failed' },
        problem: expect.objectContaining({ type: 'unsupported-media-type' }),
      }),
    );
    expect((await readdir(to)).sort()).toEqual(['a.png', LEDGER, 'sub']);
    const left = await quotaLeft();

    expect(await watchOnce(from, to)).toMatchObject({ code: 0, stdout: '' });
    expect(await quotaLeft()).toBe(left);

    const earlier = await readFile(join(to, 'a.png'));
    await writeFile(join(from, 'a.jpg'), await shirtOf(108));
    expect(parseJsonLines((await watchOnce(from, to)).stdout)).toMatchObject([{ file: 'a.jpg' }]);
    expect((await readFile(join(to, 'a.png'))).equals(earlier)).toBe(false);
    expect(await quotaLeft()).toBe(left - 1);
    expect(await endedOf(to)).toHaveLength(4);
  });

  test('replaces no file that it has not made, and makes none for two photos', async () => {
    const { from, to } = await foldersWith('names', {
      'a.jpg': await shirtOf(100),
      'a.webp': await shirtOf(100),
      'b.jpg': await shirtOf(104),
    });
    await mkdir(to);
    await writeFile(join(to, 'b.png'), 'of somebody else');
    const { code, stderr } = await watchOnce(from, to);
    expect(code).toBe(1);
    expect(stderr).toMatch(/a\.png is already the cut-out of a\.(jpg|webp)/);
    expect(stderr).toContain('b.png exists already');
    expect(await readFile(join(to, 'b.png'), 'utf8')).toBe('of somebody else');
  });

  test('rejects folders whose cut-outs would be cut out again', async () => {
    const { from, to } = await foldersWith('loop', {});
    await symlink(from, join(home, 'loop', 'link'));
    const around = join(home, 'loop');
    for (const target of [from, join(home, 'loop', 'link'), around]) {
      expect(await watchOnce(from, target)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('would be cut out again'),
      });
    }
    // Inside the source, the output folder is left out.
    await writeFile(join(from, 'a.jpg'), await shirtOf(100));
    const inside = join(from, 'cut-outs');
    expect(parseJsonLines((await watchOnce(from, inside)).stdout)).toHaveLength(1);
    expect(await watchOnce(from, inside)).toMatchObject({ code: 0, stdout: '' });
    expect(await watchOnce(join(from, 'none'), to)).toMatchObject({ code: 2 });
  });

  test('ends if there is no server, or no right key', async () => {
    const { from, to } = await foldersWith('away', { 'a.jpg': await shirtOf(100) });
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    expect(await watchOnce(from, to, '--server', nowhere)).toMatchObject({ code: 3 });
    const args = ['watch', from, '--to', to, '--once'];
    const wrong = { ...env, SELVAGE_KEY: `slv_${'0'.repeat(40)}` };
    expect(await selvage(args, wrong)).toMatchObject({ code: 4 });
    // Nothing of it was the photo's fault.
    expect(parseJsonLines((await watchOnce(from, to)).stdout)).toHaveLength(1);
  });
});

describe('watch', () => {
  test('cuts out what comes later, and ends cleanly on Ctrl-C', async () => {
    const { from, to } = await foldersWith('later', {});
    const child = startSelvage(['watch', from, '--to', to, '--quiet'], env);
    const end = waitForExit(child);
    await writeFile(join(from, 'sub', 'late.jpg'), await shirtOf(100));
    await expect.poll(() => endedOf(to).catch(() => [])).toEqual(['sub/late.jpg']);
    child.kill('SIGINT');
    expect(await end).toMatchObject({ code: 130, stdout: 'sub/late.jpg -> sub/late.png\n' });
    expect(await readdir(join(to, 'sub'))).toEqual(['late.png']);
  });

  test('has each photo once, whenever it is killed', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `${i}.jpg`);
    const photos = await Promise.all(names.map((_, i) => shirtOf(100 + i)));
    const { from, to } = await foldersWith(
      'killed',
      Object.fromEntries(names.map((name, i) => [name, photos[i]!])),
    );
    const left = await quotaLeft();
    for (const count of [1, 4]) {
      const child = startSelvage(['watch', from, '--to', to], env);
      const end = waitForExit(child);
      const ended = () =>
        endedOf(to).then(
          (files) => files.length,
          () => 0,
        );
      await expect.poll(ended, { interval: 20 }).toBeGreaterThanOrEqual(count);
      child.kill('SIGKILL');
      await end;
    }
    // A process that was killed while it wrote has left half a line.
    await appendFile(join(to, LEDGER), '{"file":"7.jp');
    expect(await watchOnce(from, to)).toMatchObject({ code: 0 });
    const files = (await readFile(join(to, LEDGER), 'utf8'))
      .split('\n')
      .filter((line) => line.includes('"succeeded"'))
      .map((line) => JSON.parse(line).file);
    expect(new Set(files)).toEqual(new Set(names));
    for (const name of names) {
      const { size } = await stat(join(to, name.replace('jpg', 'png')));
      expect(size).toBeGreaterThan(0);
    }
    expect(await quotaLeft()).toBe(left - names.length);
  });
});
