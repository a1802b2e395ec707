import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selvageProgram } from '../../src/cli/program.ts';
import { exitCodeOf, faultText } from '../../src/cli/terminal/error-report.ts';
import { drawnShirt } from '../support/images.ts';
import { ended, jsonLines, selvage, startSelvage } from './command.ts';

let folder: string;
let photos: string;
let out: string;
let env: NodeJS.ProcessEnv;
let shirt: Buffer;

/** No server, and a Redis at an address where nobody is. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'selvage-cli-'));
  photos = join(folder, 'photos');
  out = join(folder, 'out');
  env = { SELVAGE_HOME: join(folder, 'home'), REDIS_URL: 'redis://127.0.0.1:1' };
  shirt = await drawnShirt({ width: 300, height: 360, format: 'jpeg' });
  await mkdir(join(photos, 'inner'), { recursive: true });
  await writeFile(join(photos, 'shirt.jpg'), shirt);
  await writeFile(join(photos, 'inner', 'shirt.JPG'), shirt);
  await writeFile(join(photos, 'broken.png'), 'no picture');
  await writeFile(join(photos, 'notes.txt'), 'not looked at');
});
afterAll(() => rm(folder, { recursive: true }));

/** Every process below one, as the system knows them now. */
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
  test('replaces nothing unless told, and writes nowhere but into its folder', async () => {
    await mkdir(out);
    await writeFile(join(out, 'shirt.png'), 'mine');
    await symlink(folder, join(out, 'inner'));
    const { code, stderr } = await selvage(['remove', '--local', photos, '-o', out], env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/shirt\.jpg: .*shirt\.png exists already; --force replaces it/);
    expect(stderr).toMatch(/inner\/shirt\.JPG: .* is outside /);
    expect(stderr).toMatch(/0 cut out, 3 failed\.\n$/);
    expect(await readdir(folder)).not.toContain('shirt.png');
    expect((await readdir(out)).sort()).toEqual(['inner', 'shirt.png']);
    await rm(join(out, 'inner'));
  });

  test('cuts out a folder without server or Redis, and fails for what is no photo', async () => {
    const args = ['remove', '--local', photos, '-o', out, '--json', '--force'];
    const { code, stdout, stderr } = await selvage(args, env);
    const lines = jsonLines(stdout).sort((a, b) => (String(a.file) < String(b.file) ? -1 : 1));
    expect(lines).toEqual([
      {
        file: join(photos, 'broken.png'),
        status: 'failed',
        problem: expect.objectContaining({ type: 'unsupported-media-type' }),
      },
      expect.objectContaining({ output: join(out, 'inner', 'shirt.png'), status: 'succeeded' }),
      expect.objectContaining({ output: join(out, 'shirt.png'), confidence: expect.any(Number) }),
    ]);
    expect(stderr).toMatch(/^.*broken\.png: The image is not JPEG.*\n$/);
    expect(code).toBe(1);
    const meta = await sharp(join(out, 'shirt.png')).metadata();
    expect(meta).toMatchObject({ format: 'png', width: 300, height: 360, hasAlpha: true });
  });

  test('reads standard input and writes standard output', async () => {
    const child = startSelvage(
      ['remove', '--local', '-', '--format', 'webp', '--background', 'red'],
      env,
    );
    child.stdin?.end(shirt);
    const pieces: Buffer[] = [];
    child.stdout?.on('data', (piece: Buffer) => pieces.push(piece));
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    const { data, info } = await sharp(Buffer.concat(pieces))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 300, height: 360 });
    expect(data[0]).toBeGreaterThan(240);
    expect(data[1]).toBeLessThan(15);
  });

  test('Ctrl-C leaves no half file and no process', async () => {
    const many = join(folder, 'many');
    const interrupted = join(folder, 'interrupted');
    await mkdir(many);
    const large = await drawnShirt({ width: 1500, height: 1800, format: 'jpeg' });
    for (let i = 0; i < 30; i++) await writeFile(join(many, `${i}.jpg`), large);
    const args = ['remove', '--local', many, '-o', interrupted, '--json', '--jobs', '1'];
    const child = startSelvage(args, env);
    const end = ended(child);
    if (child.stdout) await once(child.stdout, 'data'); // one is done, others are not
    const below = descendants(child.pid ?? 0);
    expect(below.length).toBeGreaterThanOrEqual(2);
    child.kill('SIGINT');
    const { code, stdout, stderr } = await end;
    expect(code).toBe(130);
    expect(stderr).toMatch(/Interrupted/);
    const written = jsonLines(stdout).map(({ output }) => String(output));
    expect(written.length).toBeLessThan(30);
    const names = await readdir(interrupted);
    expect(names.map((name) => join(interrupted, name)).sort()).toEqual(written.sort());
    for (const output of written) await sharp(output).stats(); // whole, every one
    expect(below.filter(isAlive)).toEqual([]);
  });
});

describe('asked wrongly, it says how to ask', () => {
  const ask = async (args: string[]) => {
    const program = selvageProgram(new AbortController().signal);
    const error = await program.parseAsync(args, { from: 'user' }).catch((error) => error);
    return { code: exitCodeOf(error), text: faultText(error) };
  };

  test.each([
    ['a file that is not there', ['--local', 'nothere.jpg', '-o', 'x'], /folder nothere.jpg/],
    ['no place for results', ['package.json'], /-o <folder>/],
    ['options that clash', ['a', '-o', 'x', '--mask', '--background', 'red'], /--background makes/],
    ['a picture for a name', ['-', '-o', 'x'], /leave out -o/],
    ['no server', ['package.json', '-o', 'x', '--server', 'shop'], /no address of a server/],
  ])('%s', async (_, args, sentence) => {
    expect(await ask(['remove', ...args])).toEqual({
      code: 2,
      text: expect.stringMatching(sentence),
    });
  });

  test('a key in the arguments, which it does not repeat', async () => {
    const said = await selvage(['remove', 'a.jpg', '--key', 'slv_secret'], env);
    expect(said).toMatchObject({ code: 2, stdout: '' });
    expect(said.stderr).toMatch(/^selvage: Keys do not belong on the command line/);
    expect(said.stderr).not.toMatch(/slv_secret/);
  });

  test('an option nobody knows, and no server at all', async () => {
    const unknown = await selvage(['remove', 'a.jpg', '--frobnicate'], env);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringMatching(/--frobnicate/) });
    const nowhere = await selvage(['usage'], env);
    expect(nowhere).toMatchObject({ code: 3, stderr: expect.stringMatching(/npm start/) });
  });
});
