import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { selvageProgram } from '../../src/cli/program.ts';
import { errorText, toExitCode } from '../../src/cli/terminal/error-report.ts';
import { drawnShirt, readPixels } from '../support/images.ts';
import { useFolder } from '../support/use-folder.ts';
import { parseJsonLines, selvage, startSelvage, waitForExit } from './command.ts';

/** The record of what was done, in the output folder. */
const LEDGER = 'selvage-remove.ndjson';

const folder = await useFolder();
const photos = join(folder, 'photos');
const out = join(folder, 'out');
/** No server, and a Redis URL where nothing listens. */
const env = { SELVAGE_HOME: join(folder, 'home'), REDIS_URL: 'redis://127.0.0.1:1' };
const shirt = await drawnShirt({ width: 300, height: 360, format: 'jpeg' });
await mkdir(join(photos, 'inner'), { recursive: true });
await writeFile(join(photos, 'shirt.jpg'), shirt);
await writeFile(join(photos, 'inner', 'shirt.JPG'), shirt);
await writeFile(join(photos, 'broken.png'), 'not an image');
await writeFile(join(photos, 'notes.txt'), 'ignored');

/** Returns the ids of all descendants of a process. */
function descendants(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    rows.flatMap(([child = 0, above]) => (above === parent ? [child, ...below(child)] : []));
  return below(pid);
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('remove --local', () => {
  test('overwrites nothing without --force, and writes only into its folder', async () => {
    await mkdir(out);
    await writeFile(join(out, 'shirt.png'), 'mine');
    await symlink(folder, join(out, 'inner'));
    const { code, stderr } = await selvage(['remove', '--local', photos, '-o', out], env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/shirt\.jpg: .*shirt\.png exists already; --force replaces it/);
    expect(stderr).toMatch(/inner\/shirt\.JPG: .* is outside /);
    expect(stderr).toMatch(/0 cut out, 2 failed, 1 left out\.\n$/);
    expect(await readdir(folder)).not.toContain('shirt.png');
    expect((await readdir(out)).sort()).toEqual(['inner', LEDGER, 'shirt.png']);
    await rm(join(out, 'inner'));
  });

  test('processes a folder without server or Redis, and names pictures that are none', async () => {
    const args = ['remove', '--local', photos, '-o', out, '--json', '--force'];
    const { code, stdout, stderr } = await selvage(args, env);
    const lines = parseJsonLines(stdout).sort((a, b) => (String(a.file) < String(b.file) ? -1 : 1));
    expect(lines).toEqual([
      {
        file: join(photos, 'broken.png'),
        status: 'left-out',
        what: 'text',
      },
      expect.objectContaining({ output: join(out, 'inner', 'shirt.png'), status: 'succeeded' }),
      expect.objectContaining({
        output: join(out, 'shirt.png'),
        confidence: expect.any(Number),
        review: { needed: false, reasons: [] },
      }),
    ]);
    expect(stderr).toMatch(/^.*broken\.png: left out: text\n$/);
    expect(code).toBe(6);
    const meta = await sharp(join(out, 'shirt.png')).metadata();
    expect(meta).toMatchObject({ format: 'png', width: 300, height: 360, hasAlpha: true });
  });

  test('names the photos to check', async () => {
    const blurred = join(photos, 'blurred.jpg');
    await writeFile(blurred, await sharp(shirt).blur(8).toBuffer());
    const { code, stderr } = await selvage(['remove', '--local', blurred, '-o', out], env);
    await rm(blurred);
    expect(stderr).toMatch(/blurred\.jpg: please check: .*The photo is blurred\b/);
    expect(stderr).toMatch(/1 cut out, 1 of them to check\.\n$/);
    expect(code).toBe(0);
  });

  test('reads standard input and writes standard output', async () => {
    const child = startSelvage(
      ['remove', '--local', '-', '--format', 'webp', '--background', 'red'],
      env,
    );
    child.stdin?.end(shirt);
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    const { width, height, corner } = await readPixels(Buffer.concat(chunks));
    expect([width, height]).toEqual([300, 360]);
    expect(corner[0]).toBeGreaterThan(240);
    expect(corner[1]).toBeLessThan(15);
  });

  test('Ctrl-C leaves no partial file and no process, and the same command goes on', async () => {
    const many = join(folder, 'many');
    const interrupted = join(folder, 'interrupted');
    await mkdir(many);
    const large = await drawnShirt({ width: 1500, height: 1800, format: 'jpeg' });
    for (let i = 0; i < 30; i++) await writeFile(join(many, `${i}.jpg`), large);
    const args = ['remove', '--local', many, '-o', interrupted, '--json', '--jobs', '1'];
    const child = startSelvage(args, env);
    const end = waitForExit(child);
    if (child.stdout) await once(child.stdout, 'data'); // one is finished, others are not
    const below = descendants(child.pid ?? 0);
    expect(below.length).toBeGreaterThanOrEqual(2);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await end;
    expect(code).toBe(130);
    expect(stderr).toMatch(/Interrupted/);
    const written = parseJsonLines(stdout).map(({ output }) => String(output));
    expect(written.length).toBeLessThan(30);
    const names = (await readdir(interrupted)).filter((name) => name !== LEDGER);
    expect(names.map((name) => join(interrupted, name)).sort()).toEqual(written.sort());
    for (const output of written) await sharp(output).stats(); // every file is complete
    expect(below.filter(isAlive)).toEqual([]);
    for (let i = 0; i < 27; i++) await rm(join(many, `${i}.jpg`));
    await copyFile(written[0] ?? '', join(interrupted, '28.png'));
    const goOn = () => selvage(['remove', '--local', many, '-o', interrupted], env);
    const again = await goOn();
    expect(again.stderr).toMatch(/28\.png exists already/);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/, 1 failed\.\n$/) });
    await rm(join(interrupted, '28.png'));
    expect((await goOn()).stderr).toBe('1 cut out, 2 already there (--force makes them anew).\n');
    expect(await readdir(interrupted)).toEqual(
      expect.arrayContaining(['27.png', '28.png', '29.png']),
    );
  });
});

describe('wrong usage', () => {
  const ask = async (args: string[]) => {
    const program = selvageProgram(new AbortController().signal);
    const error = await program.parseAsync(args, { from: 'user' }).catch((error) => error);
    return { code: toExitCode(error), text: errorText(error) };
  };

  test.each([
    ['a missing file', ['--local', 'nothere.jpg', '-o', 'x'], /folder nothere.jpg/],
    ['no output folder', ['package.json'], /-o <folder>/],
    [
      'conflicting options',
      ['a', '-o', 'x', '--mask', '--background', 'red'],
      /--background conflicts/,
    ],
    ['an output folder for standard input', ['-', '-o', 'x'], /leave out -o/],
    ['an invalid server', ['package.json', '-o', 'x', '--server', 'shop'], /not a server URL/],
  ])('%s', async (_, args, sentence) => {
    expect(await ask(['remove', ...args])).toEqual({
      code: 2,
      text: expect.stringMatching(sentence),
    });
  });

  test('a key in the arguments is rejected and not repeated', async () => {
    const result = await selvage(['remove', 'a.jpg', '--key', 'slv_secret'], env);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/^selvage: Keys do not belong on the command line/);
    expect(result.stderr).not.toMatch(/slv_secret/);
  });

  test('an unknown option, and no server at all', async () => {
    const unknown = await selvage(['remove', 'a.jpg', '--frobnicate'], env);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringMatching(/--frobnicate/) });
    const nowhere = await selvage(['usage'], env);
    expect(nowhere).toMatchObject({ code: 3, stderr: expect.stringMatching(/npm start/) });
  });
});
