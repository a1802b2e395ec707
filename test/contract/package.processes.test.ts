import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { servePage } from '../client/page.ts';
import { examples, IN_PAGE, SCRIPT, TYPED } from '../client/programs.ts';
import { findChromium, openBrowser } from '../support/chromium.ts';
import { drawnShirt } from '../support/images.ts';
import { type Running, run } from '../support/processes.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { reportMissing } from '../support/requirement.ts';
import { ROOT } from '../support/root.ts';

const exec = promisify(execFile);
/** What a fresh clone has, as far as packing needs it. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'tsconfig.json',
  'tsconfig.build.json',
  'README.md',
  'LICENSE',
  'packages',
  'src',
  'workers',
  'models',
  'data',
  'infra',
  'docs/pictures/before.jpg',
];
const KEY = 'sv_a-key-of-this-test-of-enough-length';

interface Pack {
  tarball: string;
  /** Paths in the package. */
  files: string[];
}

let home: string;
/** A project that depends on the client, and on nothing else. */
let shop: string;
/** A project with the gateway's package. */
let server: string;
let gatewayPack: Pack;
let clientPack: Pack;
let redis: RedisServer;
let gateway: string;
const processes: Running[] = [];

/** Copies the sources without anything built; the installed packages are linked. */
async function copySources(folder: string): Promise<void> {
  const isBuilt = (path: string) => /[/\\](dist|node_modules)$/.test(path);
  const filter = (path: string) => !isBuilt(path);
  for (const name of SOURCES)
    await cp(join(ROOT, name), join(folder, name), { recursive: true, filter });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Runs a plain `npm pack`, which builds by itself. */
async function pack(folder: string): Promise<Pack> {
  const { stdout } = await exec('npm', ['pack', '--json'], {
    cwd: folder,
    maxBuffer: 2 ** 24,
  }).catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}${stderr}`); // where the compiler says what is wrong
  });
  const [packed] = JSON.parse(stdout);
  return {
    tarball: join(folder, packed.filename),
    files: packed.files.map(({ path }: { path: string }) => path),
  };
}

/**
 * Installs the gateway's package as npm does, and links its dependencies: npm would download 400 MB
 * again.
 */
async function installGateway(): Promise<void> {
  await mkdir(installed(), { recursive: true });
  const { tarball } = gatewayPack;
  await exec('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed()]);
  const { dependencies, optionalDependencies } = manifest;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const link = join(server, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link);
  }
}

/** Installs the client in an empty project with npm, scripts on. Its one dependency is packed here, for want of a registry. */
async function installClient(): Promise<void> {
  await mkdir(shop);
  const parser = join(ROOT, 'node_modules', 'eventsource-parser');
  await exec('npm', ['pack', '--ignore-scripts', '--pack-destination', home, parser]);
  const [parserTarball = ''] = (await readdir(home)).filter((name) => name.endsWith('.tgz'));
  const dependencies = {
    '@selvage/client': `file:${clientPack.tarball}`,
    'eventsource-parser': `file:${join(home, parserTarball)}`,
  };
  await writeFile(
    join(shop, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  );
  await exec('npm', ['install', '--offline', '--no-audit'], { cwd: shop });
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'selvage-package-'));
  shop = join(home, 'shop');
  server = join(home, 'server');
  redis = await startRedis();
  const source = join(home, 'source');
  await copySources(source);
  clientPack = await pack(join(source, 'packages', 'client'));
  gatewayPack = await pack(source);
  await Promise.all([installGateway(), installClient()]);
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

const installed = (...path: string[]): string => join(server, 'node_modules', 'selvage', ...path);

/** Starts a program of the gateway's package, with its own data. */
async function start(program: string, ready: string): Promise<string> {
  const running = run(process.execPath, [installed('dist', program)], {
    SELVAGE_HOME: join(home, 'selvage'),
    REDIS_URL: redis.url,
    PORT: '0',
    WORKER_PORT: '0',
    WORKER_CONCURRENCY: '1',
    SELVAGE_DEV_KEY: KEY,
  });
  processes.push(running);
  return running.line((line) => line.includes(ready));
}

test('the gateway’s tarball has the build, the weights with their cards, and nothing else', () => {
  const { files } = gatewayPack;
  const inDist = files.filter((file) => file.startsWith('dist/'));
  const compiled = /^dist\/(src|workers|models|packages\/client\/src)\/.*\.js$/;
  const page = /^dist\/src\/console\/browser\//;
  const example = /^dist\/data\/api\/examples\/\w+\.json$/;
  const scripts = /^dist\/src\/lua\/[a-z-]+\.lua$/;
  const words =
    /^dist\/data\/((api|lexicon|feeds|look|taxonomy)\/[a-z-]+\.tsv|licences\/[a-z-]+\.txt)$/;
  const isKnown = (file: string) =>
    [compiled, page, example, scripts, words].some((kind) => kind.test(file));
  expect(inDist).toEqual(
    expect.arrayContaining([
      'dist/src/main.js',
      'dist/workers/main.js',
      'dist/src/cli/main.js',
      'dist/data/api/operations.tsv',
      'dist/data/lexicon/names.tsv',
      'dist/data/licences/nouns.txt',
      'dist/data/feeds/columns.tsv',
      'dist/data/look/sense-rules.tsv',
      'dist/src/lua/batch-append.lua',
    ]),
  );
  expect(inDist.filter((file) => !isKnown(file)).sort()).toEqual([
    'dist/data/deflate.wasm',
    'dist/data/edges.wasm',
    'dist/package.json',
    'dist/src/api/removal/rembg-models.json',
    'dist/src/api/removal/removebg/codes.json',
    'dist/src/api/test-keys/drawn.json',
    'dist/src/http/library-errors.json',
    'dist/src/http/openapi/parts.json',
    ...['de', 'en', 'es', 'fr', 'it', 'nl'].map((locale) => `dist/src/look/texts/${locale}.json`),
    'dist/src/output/rules/packs/amazon-main.json',
    'dist/src/output/rules/packs/google-merchant.json',
    'dist/src/output/rules/packs/zalando-packshot.json',
    'dist/src/platform/links/fetch-errors.json',
    'dist/src/platform/problems.json',
    'dist/src/taxonomy/dictionary/dictionary.json',
    'dist/src/taxonomy/text/confidence.json',
    'dist/src/taxonomy/text/second-opinion.json',
  ]);
  const launcher = /^infra\/launcher\/[a-z-]+\.mjs$/;
  expect(files).toContain('infra/launcher/main.mjs');
  const others = files.filter((file) => !file.startsWith('dist/') && !launcher.test(file));
  expect(others.sort()).toEqual([
    'LICENSE',
    'README.md',
    'docs/pictures/before.jpg',
    'models/README.md',
    'models/catalog.json',
    'models/garment-class.json',
    'models/garment-class.onnx',
    'models/garment-cutout.json',
    'models/garment-cutout.onnx',
    'models/garment-parse.json',
    'models/garment-parse.onnx',
    'models/licences/U-2-Net.Apache-2.0.txt',
    'models/licences/clothing-co-parsing.Apache-2.0.txt',
    'models/licences/clothing-dataset.CC0.txt',
    'models/licences/google-coral-test_data.Apache-2.0.txt',
    'package.json',
  ]);
});

test('the command runs', async () => {
  const selvage = (word: string) => exec(process.execPath, [installed(manifest.bin.selvage), word]);
  expect((await selvage('--version')).stdout.trim()).toBe(manifest.version);
  expect((await selvage('--help')).stdout).toContain('Usage: selvage');
});

test('its command starts everything in an empty folder, cuts out a photo, and stops', async () => {
  const cwd = join(home, 'empty');
  await mkdir(cwd);
  const {
    INIT_CWD: _,
    SELVAGE_HOME: __,
    REDIS_URL: ___,
    SELVAGE_DEV_KEY: ____,
    ...rest
  } = process.env;
  const env = { ...rest, HOME: cwd, PORT: '0' };
  const selvage = async (...words: string[]) => {
    const ran = exec(process.execPath, [installed(manifest.bin.selvage), ...words], { cwd, env });
    return ran.catch(({ stdout, stderr }) => ({ stdout, stderr }));
  };
  const started = await selvage('start', '--detach', '--json');
  try {
    const running = { running: true, ready: true, home: join(cwd, '.selvage') };
    expect(JSON.parse(started.stdout), started.stderr).toMatchObject(running);
    expect(JSON.parse((await selvage('status', '--json')).stdout)).toMatchObject(running);
    const again = (await selvage('start')).stdout;
    expect(again).toContain('Selvage already runs under');
    expect(again).toMatch(/or: selvage stop\n.*PORT=8090 selvage start/);
    const removed = await selvage('remove', installed('docs/pictures/before.jpg'), '-o', 'out');
    expect(removed.stderr).toBe('1 cut out.\n');
    expect((await readFile(join(cwd, 'out/before.png'))).subarray(1, 4).toString()).toBe('PNG');
  } finally {
    expect((await selvage('stop')).stdout).toContain('Stopped what ran under');
  }
  expect((await selvage('status')).stdout).toContain('Nothing runs under');
});

test('gateway and worker start from it', async () => {
  const page = await fetch(gateway);
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/html'),
  ]);
});

test('the client’s tarball has its build and its documents, and nothing of the gateway', async () => {
  const compiled = /^dist\/((generated|interface)\/)?[a-z-]+\.(js|d\.ts)$/;
  expect(clientPack.files).toEqual(expect.arrayContaining(['dist/client.js', 'dist/client.d.ts']));
  expect(clientPack.files.filter((file) => !compiled.test(file)).sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'package.json',
  ]);
  const folder = join(shop, 'node_modules', '@selvage', 'client');
  const declarations = clientPack.files.filter((file) => file.endsWith('.d.ts'));
  for (const file of declarations) {
    expect(await readFile(join(folder, file), 'utf8')).not.toMatch(/from '[^.]|import\(/);
  }
});

test('an empty project installs the client in seconds, with one other package', async () => {
  const [scopes, scoped] = await Promise.all(
    ['', '@selvage'].map((folder) => readdir(join(shop, 'node_modules', folder))),
  );
  const packages = scopes?.filter((name) => !name.startsWith('.'));
  expect([packages, scoped]).toEqual([['@selvage', 'eventsource-parser'], ['client']]);
});

test('the installed client removes a background', async () => {
  await writeFile(
    join(shop, 'photo.jpg'),
    await drawnShirt({ width: 300, height: 300, format: 'jpeg' }),
  );
  await writeFile(join(shop, 'use.js'), SCRIPT);
  const { stdout } = await exec(process.execPath, ['use.js', gateway, KEY], { cwd: shop });
  expect(JSON.parse(stdout)).toEqual({
    mediaType: 'image/png',
    isPng: true,
    category: 'jeans',
    type: 'unauthorized',
  });
});

const found = await findChromium();
if ('missing' in found) {
  reportMissing('chromium', found.missing);
  test.skip(`the client in a page (${found.missing})`);
} else {
  test('the installed client works in a page', async () => {
    const { origin } = await servePage(gateway, join(shop, 'node_modules'));
    const photo = await drawnShirt({ width: 300, height: 300, format: 'jpeg' });
    const browser = await openBrowser(found.path);
    try {
      const page = await browser.newPage();
      await page.goto(origin);
      const sent = [`data:image/jpeg;base64,${photo.toString('base64')}`, KEY];
      expect(await page.evaluate(`${IN_PAGE}(${JSON.stringify(sent)})`)).toEqual({
        rejected: 'key-refused',
        mediaType: 'image/png',
        accepted: 1,
        last: 'completed',
        rows: ['a'],
        nobody: 'unauthorized',
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
  ['on a server, as in the examples of the manual', SERVER, examples],
])('its types can be used %s', async (_name, platform, sources) => {
  const programs = (await sources()).map((code, i) => ({ code, file: `typed-${i}.ts` }));
  expect(programs).not.toEqual([]);
  for (const { code, file } of programs) await writeFile(join(shop, file), code);
  const compilerOptions = {
    target: 'ES2023',
    module: 'NodeNext',
    strict: true,
    noEmit: true,
    ...platform,
  };
  const config = { compilerOptions, files: programs.map(({ file }) => file) };
  await writeFile(join(shop, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const { stdout } = await exec(tsc, ['-p', shop]).catch((error) => error);
  expect(stdout).toBe('');
});
