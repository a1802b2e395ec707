import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { plantPage } from '../client/page.ts';
import { examples, IN_PAGE, SCRIPT, TYPED } from '../client/programs.ts';
import { findChromium, openBrowser } from '../support/chromium.ts';
import { drawnShirt } from '../support/images.ts';
import { ROOT, type Running, run } from '../support/processes.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const exec = promisify(execFile);
const BUILT_FROM = [
  ...['package.json', 'tsconfig.json', 'tsconfig.build.json', 'README.md', 'LICENSE'],
  ...['src', 'workers', 'models'],
];
const KEY = 'sv_a-key-of-this-test';

let home: string;
let project: string;
let files: string[];
let redis: RedisServer;
let gateway: string;
const processes: Running[] = [];

/** Builds and packs a copy of the sources; answers the tarball and what is in it. */
async function packed(folder: string): Promise<{ tarball: string; files: string[] }> {
  for (const name of BUILT_FROM)
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await exec('npm', ['run', 'build'], { cwd: folder }).catch(({ stdout }) => {
    throw new Error(stdout); // where the compiler says what is wrong
  });
  const { stdout } = await exec('npm', ['pack', '--json'], { cwd: folder, maxBuffer: 2 ** 24 });
  const [pack] = JSON.parse(stdout);
  return {
    tarball: join(folder, pack.filename),
    files: pack.files.map(({ path }: { path: string }) => path),
  };
}

/**
 * Puts the package into a project as npm does, and beside it what it says it depends on, linked: npm
 * would fetch 400 MB again.
 */
async function install(tarball: string): Promise<void> {
  await mkdir(installed(), { recursive: true });
  await exec('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed()]);
  for (const name of Object.keys(manifest.dependencies)) {
    const link = join(project, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link);
  }
  await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}');
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'selvage-package-'));
  project = join(home, 'shop');
  redis = await startRedis();
  const pack = await packed(join(home, 'source'));
  files = pack.files;
  await install(pack.tarball);
  const [line] = await Promise.all([
    start('src/main.js', 'gateway ready'),
    start('workers/main.js', 'worker ready'),
  ]);
  gateway = JSON.parse(line).url;
}, 300_000);
afterAll(async () => {
  await Promise.all(processes.map((process) => process.end()));
  await redis?.stop();
  await rm(home, { recursive: true, force: true });
});

const installed = (...path: string[]): string => join(project, 'node_modules', 'selvage', ...path);

/** A program of the package, with an installation of its own. */
async function start(program: string, ready: string): Promise<string> {
  const running = run(process.execPath, [installed('dist', program)], {
    SELVAGE_HOME: join(home, 'selvage'),
    REDIS_URL: redis.url,
    ...{ PORT: '0', WORKER_PORT: '0', WORKER_CONCURRENCY: '1', SELVAGE_DEV_KEY: KEY },
  });
  processes.push(running);
  return running.line((line) => line.includes(ready));
}

test('the tarball has what runs, the weights with their cards, and nothing else', () => {
  const inDist = files.filter((file) => file.startsWith('dist/'));
  const compiled = /^dist\/(src|workers|models)\/.*\.(js|d\.ts)$/;
  const page = /^dist\/src\/console\/browser\//;
  expect(inDist.filter((file) => !compiled.test(file) && !page.test(file)).sort()).toEqual([
    ...['dist/package.json', 'dist/src/taxonomy/dictionary/dictionary.json'],
  ]);
  expect(files.filter((file) => !file.startsWith('dist/')).sort()).toEqual([
    ...['LICENSE', 'README.md', 'models/README.md', 'models/catalog.json'],
    ...['models/garment-class.json', 'models/garment-class.onnx'],
    ...['models/garment-cutout.json', 'models/garment-cutout.onnx'],
    ...['U-2-Net.Apache-2.0', 'clothing-co-parsing.Apache-2.0', 'clothing-dataset.CC0'].map(
      (licence) => `models/licences/${licence}.txt`,
    ),
    ...['models/licences/google-coral-test_data.Apache-2.0.txt', 'package.json'],
  ]);
});

test('the command is there', async () => {
  const selvage = (word: string) => exec(process.execPath, [installed(manifest.bin.selvage), word]);
  expect((await selvage('--version')).stdout.trim()).toBe(manifest.version);
  expect((await selvage('--help')).stdout).toContain('Usage: selvage');
});

test('gateway and worker start from it, and its client works against them', async () => {
  await writeFile(
    join(project, 'photo.jpg'),
    await drawnShirt({ width: 300, height: 300, format: 'jpeg' }),
  );
  await writeFile(join(project, 'use.js'), SCRIPT);
  const { stdout } = await exec(process.execPath, ['use.js', gateway, KEY], { cwd: project });
  expect(JSON.parse(stdout)).toEqual({
    ...{ mediaType: 'image/png', isPicture: true },
    ...{ category: 'jeans', type: 'unauthorized' },
  });
  const page = await fetch(gateway);
  expect([page.status, page.headers.get('content-type')]).toEqual([
    ...[200, expect.stringContaining('text/html')],
  ]);
});

const found = await findChromium();
if ('missing' in found) test.skip(`the client in a page (${found.missing})`);
else {
  test('its client works in a page', async () => {
    const { origin } = await plantPage(gateway, join(project, 'node_modules'));
    const photo = await drawnShirt({ width: 300, height: 300, format: 'jpeg' });
    const browser = await openBrowser(found.path);
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      const sent = [`data:image/jpeg;base64,${photo.toString('base64')}`, KEY];
      expect(await page.evaluate(`${IN_PAGE}(${JSON.stringify(sent)})`)).toEqual({
        ...{ refused: 'key-refused', mediaType: 'image/png', accepted: 1, last: 'completed' },
        ...{ rows: ['a'], nobody: 'unauthorized' },
      });
    } finally {
      await browser.close();
    }
  });
}

const PAGE = { lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [] };
const SERVER = { lib: ['ES2023'], types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };

test.each([
  ['in a page', PAGE, async () => [TYPED]],
  ['on a server, and the manual’s examples fit them', SERVER, examples],
])('its types are those of the schemas %s', async (_name, platform, sources) => {
  const programs = (await sources()).map((code, i) => ({ code, file: `typed-${i}.ts` }));
  expect(programs).not.toEqual([]);
  for (const { code, file } of programs) await writeFile(join(project, file), code);
  const compilerOptions = {
    ...{ target: 'ES2023', module: 'NodeNext', strict: true, noEmit: true, skipLibCheck: true },
    ...platform,
  };
  const config = { compilerOptions, files: programs.map(({ file }) => file) };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const { stdout } = await exec(tsc, ['-p', project]).catch((error) => error);
  expect(stdout).toBe('');
});
