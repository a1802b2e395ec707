import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';
import { FILES_OF_MANY } from './support/files-of-many.ts';

/**
 * The layers of the code, from the bottom up. A room is a folder under `src/` or `packages/`, or `workers` or
 * `models`, or a file of `src/` itself, as `src/main.ts`. It may import rooms of lower layers only.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['models', 'platform', 'client'],
  ['auth', 'feed-formats', 'imaging', 'storage', 'taxonomy'],
  ['http', 'look', 'output'],
  ['queue', 'console'],
  ['intake'],
  ['services'],
  ['gateway'],
  ['api'],
  ['cli', 'n8n-node'],
  ['main', 'workers'],
];

/** Imports that the layers would allow but that are not: pure rooms stay apart, and workers serve no HTTP. */
const FORBIDDEN: readonly (readonly [from: string, to: string])[] = [
  ['http', 'taxonomy'],
  ['http', 'imaging'],
  ['http', 'feed-formats'],
  ['http', 'storage'],
  ['look', 'imaging'],
  ['look', 'storage'],
  ['look', 'auth'],
  ['workers', 'gateway'],
  ['workers', 'api'],
  ['workers', 'http'],
  ['workers', 'auth'],
  ['workers', 'cli'],
  ['workers', 'console'],
  ['workers', 'look'],
  ['intake', 'http'],
  ['intake', 'look'],
  ['intake', 'taxonomy'],
  ['look', 'feed-formats'],
  ['output', 'auth'],
  ['output', 'storage'],
  ['cli', 'api'],
  ['cli', 'http'],
  ['cli', 'intake'],
  ['cli', 'look'],
];

/** Pure rooms import these packages only: nothing that opens a socket or a file. */
const PURE_ROOMS = ['look', 'taxonomy', 'imaging', 'feed-formats'];
const PURE_PACKAGES = [
  'zod',
  'culori',
  'canonicalize',
  'fastest-levenshtein',
  'entities',
  'fflate',
  'saxes',
  'node:crypto',
  'node:stream',
  'node:zlib',
];

const root = join(import.meta.dirname, '..');
const filesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.includes('node_modules'))
    .map((name) => join(root, folder, name))
    .filter((file) => file.endsWith('.ts') && statSync(file).isFile());

const roomOf = (file: string): string => {
  const [top, second] = relative(root, file).split(sep);
  return top === 'src' || top === 'packages'
    ? (second ?? '').replace(/\.(ts|json)$/, '')
    : (top ?? '');
};

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s*(type\s)?[^'"`;]*?from\s*'([^']+)'|import\('([^']+)'\)/g;
function parseImports(file: string) {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, type, from, dynamic]) => ({
    name: from ?? dynamic ?? '',
    isType: type !== undefined,
    isLazy: dynamic !== undefined,
  }));
}
/** Hundreds of tests reach the same files. */
const parsed = new Map<string, ReturnType<typeof parseImports>>();
const readImports = (file: string) => {
  const imports = parsed.get(file) ?? parseImports(file);
  parsed.set(file, imports);
  return imports;
};
const layerOf = (room: string): number => LAYERS.findIndex((layer) => layer.includes(room));

const isAllowed = (from: string, to: string): boolean =>
  from === to ||
  (layerOf(to) < layerOf(from) && !FORBIDDEN.some(([a, b]) => a === from && b === to));

const files = ['src', 'packages/client/src', 'packages/n8n-node/src', 'workers', 'models']
  .flatMap(filesUnder)
  .filter((file) => !/[\\/](training|assembly)[\\/]/.test(file)); // Python, and AssemblyScript

test('rooms import rooms of lower layers only', () => {
  const wrong = files.flatMap((file) =>
    readImports(file)
      .filter(({ name }) => name.startsWith('.'))
      .map(({ name }) => join(dirname(file), name))
      .filter((target) => relative(root, target) !== 'package.json')
      .filter((target) => !isAllowed(roomOf(file), roomOf(target)))
      .map((target) => `${relative(root, file)} -> ${relative(root, target)}`),
  );
  expect(wrong).toEqual([]);
});

test('docs/architecture.md has the same layers', () => {
  const rows = readFileSync(join(root, 'docs/architecture.md'), 'utf8').matchAll(
    /^\| (\d) \| (.+?) \|/gm,
  );
  const documented = [...rows].flatMap(([, layer, rooms]) =>
    [...(rooms ?? '').matchAll(/`(?:src\/)?([\w-]+)(?:\/|\.ts)`/g)].map(
      ([, room]) => `${layer} ${room}`,
    ),
  );
  const isFolder = (entry: string) => !/ (client|lua)$/.test(entry); // one is a package, one has no imports
  expect(documented.filter(isFolder).sort()).toEqual(
    LAYERS.flatMap((rooms, layer) => rooms.map((room) => `${layer} ${room}`))
      .filter(isFolder)
      .sort(),
  );
});

test('every room has a layer', () => {
  expect(files.length).toBeGreaterThan(300);
  expect([...new Set(files.map(roomOf))].filter((room) => layerOf(room) < 0)).toEqual([]);
});

test('onnxruntime is imported by the inference child alone', () => {
  const importers = files
    .filter((file) => readImports(file).some(({ name }) => name.startsWith('onnxruntime')))
    .map((file) => relative(root, file));
  expect(importers).toEqual([join('workers', 'inference', 'session.ts')]);
});

test('of the platform, pure rooms import problems only', () => {
  const targets = files
    .filter((file) => PURE_ROOMS.includes(roomOf(file)))
    .flatMap((file) => readImports(file).map(({ name }) => join(dirname(file), name)))
    .filter((target) => roomOf(target) === 'platform')
    .map((target) => relative(root, target));
  expect([...new Set(targets)]).toEqual([join('src', 'platform', 'problem.ts')]);
});

test('pure rooms import pure packages only; tables and columns are read from files', () => {
  const wrong = files
    .filter((file) => PURE_ROOMS.includes(roomOf(file)))
    .flatMap((file) =>
      readImports(file)
        .map(({ name }) => name)
        .filter(
          (name) =>
            !name.startsWith('.') &&
            !PURE_PACKAGES.some((pure) => name === pure || name.startsWith(`${pure}/`)),
        )
        .map((name) => `${relative(root, file)} -> ${name}`),
    );
  const expected = ['src/feed-formats/columns.ts -> node:fs', 'src/taxonomy/tables.ts -> node:fs'];
  expect(wrong).toEqual(expected);
});

test('the client imports one parser and nothing of Node, because it runs in browsers too', () => {
  const client = files.filter((file) => roomOf(file) === 'client');
  const packages = client
    .flatMap(readImports)
    .filter(({ name, isType }) => !isType && !name.startsWith('./'))
    .map(({ name }) => name);
  expect(packages).toEqual(['eventsource-parser']);
});

/** The host's clock, read where it can differ from Redis's; `new Date(value)` only converts. */
const HOST_CLOCK = /Date\.now\b|new Date\(\)/;

/** The client is excluded because it runs on the user's machine; the console's pages are JavaScript, not listed here. */
const runsOnServer = (file: string): boolean => roomOf(file) !== 'client';

test('only the platform reads the host clock', () => {
  const readers = files
    .filter(runsOnServer)
    .filter((file) => HOST_CLOCK.test(readFileSync(file, 'utf8')))
    .map((file) => relative(root, file));
  expect(readers).toEqual([join('src', 'platform', 'clock.ts')]);
});

interface Reached {
  files: Set<string>;
  packages: Set<string>;
}

/**
 * Returns every file and package that an entry point loads, directly or indirectly; types are not loaded.
 * @param atOnce leaves out what it loads later, by `import()`
 */
function reachableFrom(entry: string, { atOnce = false } = {}): Reached {
  const reached = { files: new Set<string>(), packages: new Set<string>() };
  const open = [join(root, entry)];
  for (let file = open.pop(); file; file = open.pop()) {
    // A test may hold a program as text, with imports of its own.
    if (reached.files.has(file) || file.endsWith('.json') || !existsSync(file)) continue;
    reached.files.add(file);
    for (const { name, isType, isLazy } of readImports(file)) {
      if (isType || (atOnce && isLazy)) continue;
      if (name.startsWith('.')) open.push(join(dirname(file), name));
      else reached.packages.add(name);
    }
  }
  return reached;
}

test.each([
  { entry: 'src/main.ts', forbidden: ['onnxruntime-node', 'sharp'], known: 'fastify', min: 50 },
  {
    entry: 'workers/main.ts',
    forbidden: ['fastify', 'onnxruntime-node'],
    known: 'bullmq',
    min: 50,
  },
  {
    entry: 'src/api/look/thread.ts',
    forbidden: ['fastify', 'ioredis', 'bullmq', 'onnxruntime-node', 'sharp', 'piscina'],
    known: 'zod',
    min: 40,
  },
])('$entry never loads $forbidden', ({ entry, forbidden, known, min }) => {
  const { files: reached, packages } = reachableFrom(entry);
  expect(reached.size).toBeGreaterThan(min);
  expect(packages).toContain(known);
  expect([...packages].filter((name) => forbidden.some((no) => name.startsWith(no)))).toEqual([]);
});

test('a worker that starts loads its queues beside the model, and no dictionary', () => {
  const beforeModel = reachableFrom('workers/main.ts', { atOnce: true });
  expect(beforeModel.files).toContain(join(root, 'workers/inference/pool.ts'));
  expect(beforeModel.packages).not.toContain('bullmq');
  const beforeJobs = reachableFrom('workers/start-worker.ts', { atOnce: true });
  expect(beforeJobs.packages).toContain('bullmq');
  expect(beforeJobs.files).not.toContain(join(root, 'src/taxonomy/classify.ts'));
});

test('workers/main.ts never loads what reads KEY_PEPPER, LOOK_SIGNING_KEYS and secrets.json', () => {
  const secrets = join(root, 'src/platform/secrets.ts');
  expect(reachableFrom('src/main.ts').files).toContain(secrets);
  expect(reachableFrom('workers/main.ts').files).not.toContain(secrets);
});

/** Tests whose name says what they need: `.model` ONNX Runtime, `.service` a shared stack or S3, `.processes` own ones. */
const NEEDY_TEST = /\.(model|redis|service|processes)\.test\.ts$/;
const STARTERS = ['processes', 'shared-stack', 'services', 'engine'].map((name) =>
  join(root, `test/support/${name}.ts`),
);
const isProduct = (file: string): boolean => /^(src|workers|packages)\b/.test(relative(root, file));
const startsSomething = (file: string): boolean =>
  STARTERS.includes(file) ||
  (!isProduct(file) && readImports(file).some(({ name }) => name === 'node:child_process'));

test('a test is named for what it needs, and a unit test needs nothing', () => {
  const wrong = filesUnder('test')
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => {
      const { files: reached, packages } = reachableFrom(relative(root, file));
      const needs = [...reached].filter(startsSomething).map((each) => relative(root, each));
      if (packages.has('onnxruntime-node')) needs.push('ONNX Runtime');
      const isRight = NEEDY_TEST.test(file) === needs.length > 0;
      return isRight ? [] : `${relative(root, file)} needs ${needs.join(', ') || 'nothing'}`;
    });
  expect(wrong).toEqual([]);
});

test('each file of many cases runs all of them in `long`', () => {
  const many = join(root, 'test/support/many.ts');
  const files = filesUnder('test').filter((file) =>
    readImports(file).some(({ name }) => join(dirname(file), name) === many),
  );
  expect(files.map((file) => relative(root, file)).toSorted()).toEqual(FILES_OF_MANY.toSorted());
});

/** The imports of each file that stay inside the project. */
const ownImports = new Map(
  files.map((file) => [
    file,
    readImports(file)
      .filter(({ name }) => name.startsWith('.'))
      .map(({ name }) => join(dirname(file), name)),
  ]),
);

/** Returns the file itself if its own imports lead back to it, types included; else nothing. */
function circleOf(file: string): string[] {
  const reached = new Set<string>();
  const open = [...(ownImports.get(file) ?? [])];
  for (let next = open.pop(); next; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(ownImports.get(next) ?? []));
  }
  return reached.has(file) ? [relative(root, file)] : [];
}

test('no files import each other in a circle, not even for types', () => {
  expect(files.flatMap(circleOf)).toEqual([]);
});

/** What n8n requires by its path. */
const LOADED_BY_N8N = /\.(node|credentials)\.ts$/;

const EXPORT = /^export (?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm;

const WORD = /\w+/g;

/** The parts of a statement that names what is imported: before `from`, before `import(`, and after it. */
const IMPORTED = [/(?:import|export)\b(.*)from/s, /^(.*)import\(/s, /import\((.*)/s];

/** Returns every word in the imports and re-exports of a file. */
const importedWords = (text: string): Set<string> =>
  new Set(
    text
      .split(';')
      .flatMap((statement) => IMPORTED.map((part) => part.exec(statement)?.[1] ?? ''))
      .flatMap((part) => part.match(WORD) ?? []),
  );

test('whatever is exported is imported somewhere', () => {
  const importers = [...files, ...['bench', 'infra', 'test', 'docs'].flatMap(filesUnder)].map(
    (file) => ({ file, words: importedWords(readFileSync(file, 'utf8')) }),
  );
  const unused = files
    .filter((file) => roomOf(file) !== 'client' && !LOADED_BY_N8N.test(file))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(EXPORT)]
        .map(([, name = '']) => name)
        .filter((name) => !importers.some((other) => other.file !== file && other.words.has(name)))
        .map((name) => `${relative(root, file)}: ${name}`),
    );
  expect(unused).toEqual([]);
});
