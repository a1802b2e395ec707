import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

/**
 * The floors of the house, from the ground up. A room is a folder under `src/`, or `workers` or `models`. It may
 * import rooms of lower floors only; `main` is the file `src/main.ts`.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['models', 'platform', 'console'],
  ['auth', 'feed-formats', 'imaging', 'storage', 'taxonomy'],
  ['http', 'look', 'output'],
  ['queue'],
  ['intake'],
  ['api'],
  ['client'],
  ['cli'],
  ['main', 'workers'],
];

/** Imports that a floor would allow and the house does not: the gateway and the command know no worker's rooms. */
const FORBIDDEN: readonly (readonly [from: string, to: string])[] = [
  ['http', 'taxonomy'],
  ['http', 'imaging'],
  ['http', 'feed-formats'],
  ['http', 'storage'],
  ['look', 'imaging'],
  ['look', 'storage'],
  ['look', 'auth'],
  ['workers', 'api'],
  ['workers', 'http'],
  ['workers', 'auth'],
  ['workers', 'cli'],
  ['workers', 'console'],
];

/** Pure rooms: these packages and Node's own pure modules, nothing that opens a socket or a file. */
const PURE_ROOMS = ['look', 'taxonomy', 'imaging', 'feed-formats'];
const PURE_PACKAGES = [
  'zod',
  'culori',
  'canonicalize',
  'fastest-levenshtein',
  'csv-parse',
  'saxes',
  'node:crypto',
];

const root = join(import.meta.dirname, '..');
const filesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, folder, name))
    .filter((file) => file.endsWith('.ts') && statSync(file).isFile());

const roomOf = (file: string): string => {
  const [top, second] = relative(root, file).split(sep);
  return top === 'src' ? (second ?? '').replace(/\.(ts|json)$/, '') : (top ?? '');
};

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s*(type\s)?[^'"`;]*?from\s*'([^']+)'|import\('([^']+)'\)/g;
const everyImportOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, type, from, called]) => ({
    name: from ?? called ?? '',
    isType: type !== undefined,
  }));
const importsOf = (file: string): string[] => everyImportOf(file).map(({ name }) => name);

const floorOf = (room: string): number => FLOORS.findIndex((floor) => floor.includes(room));

const isAllowed = (from: string, to: string): boolean =>
  from === to ||
  (floorOf(to) < floorOf(from) && !FORBIDDEN.some(([a, b]) => a === from && b === to));

const files = ['src', 'workers', 'models']
  .flatMap(filesUnder)
  .filter((file) => !file.includes(`${sep}training${sep}`));

test('rooms import downwards only', () => {
  const wrong = files.flatMap((file) =>
    everyImportOf(file)
      .filter(({ name }) => name.startsWith('.'))
      .map(({ name }) => join(dirname(file), name))
      .filter((target) => relative(root, target) !== 'package.json')
      .filter((target) => !isAllowed(roomOf(file), roomOf(target)))
      .map((target) => `${relative(root, file)} -> ${relative(root, target)}`),
  );
  expect(wrong).toEqual([]);
});

test('every room has a floor', () => {
  expect(files.length).toBeGreaterThan(300);
  expect([...new Set(files.map(roomOf))].filter((room) => floorOf(room) < 0)).toEqual([]);
});

test('pure rooms import pure packages only', () => {
  const wrong = files
    .filter((file) => PURE_ROOMS.includes(roomOf(file)))
    .flatMap((file) =>
      importsOf(file)
        .filter(
          (name) =>
            !name.startsWith('.') &&
            !PURE_PACKAGES.some((pure) => name === pure || name.startsWith(`${pure}/`)),
        )
        .map((name) => `${relative(root, file)} -> ${name}`),
    );
  expect(wrong).toEqual([]);
});

test('the client loads the platform and a parser, so that it runs in a page too', () => {
  const loaded = files
    .filter((file) => roomOf(file) === 'client')
    .flatMap(everyImportOf)
    .filter(({ name, isType }) => !isType && !name.startsWith('./'))
    .map(({ name }) => name);
  expect(loaded).toEqual(['eventsource-parser']);
});

/** Every file and package that an entry loads, types aside. */
function reachedFrom(entry: string): { files: Set<string>; packages: Set<string> } {
  const reached = { files: new Set<string>(), packages: new Set<string>() };
  const open = [join(root, entry)];
  for (let file = open.pop(); file; file = open.pop()) {
    if (reached.files.has(file) || file.endsWith('.json')) continue;
    reached.files.add(file);
    for (const { name, isType } of everyImportOf(file)) {
      if (isType) continue;
      if (name.startsWith('.')) open.push(join(dirname(file), name));
      else reached.packages.add(name);
    }
  }
  return reached;
}

test.each([
  { entry: 'src/main.ts', forbidden: ['onnxruntime-node', 'sharp'], known: 'fastify' },
  { entry: 'workers/main.ts', forbidden: ['fastify'], known: 'bullmq' },
])('$entry never loads $forbidden', ({ entry, forbidden, known }) => {
  const { files: reached, packages } = reachedFrom(entry);
  expect(reached.size).toBeGreaterThan(50);
  expect(packages).toContain(known);
  expect([...packages].filter((name) => forbidden.some((no) => name.startsWith(no)))).toEqual([]);
});
