import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Who may import whom. A room is the first folder under `src/`, or a file of its own there; what is
 * not listed is forbidden. `main.ts` files build everything and are listed apart.
 */
// biome-ignore format: a table reads best aligned
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  main:     ['access', 'api', 'config', 'console', 'http', 'image', 'jobs', 'log', 'metrics', 'secrets', 'store', 'tracing'],
  workers:  ['config', 'feed', 'image', 'jobs', 'log', 'metrics', 'models', 'problem', 'store', 'taxonomy', 'tracing'],
  cli:      ['access', 'client', 'config', 'feed', 'jobs', 'log', 'models', 'problem', 'secrets', 'store'],
  api:      ['feed', 'http', 'image', 'jobs', 'log', 'look', 'problem', 'store', 'taxonomy'],
  http:     ['log', 'problem'],
  jobs:     ['image', 'log', 'problem', 'tracing'],
  store:    ['image', 'problem'],
  look:     ['problem', 'taxonomy'],
  taxonomy: ['problem'],
  access:   [],
  client:   [],
  config:   [],
  console:  [],
  feed:     [],
  image:    [],
  log:      [],
  metrics:  [],
  models:   [],
  problem:  [],
  secrets:  [],
  tracing:  [],
};

/** Rooms that others may know by `import type` alone: nothing of them is loaded. */
const TYPES_ALLOWED: Readonly<Record<string, readonly string[]>> = {
  client: ['api', 'jobs', 'look', 'taxonomy'],
};

/** Pure rooms: these packages and Node's own pure modules, nothing that opens a socket or a file. */
const PURE_ROOMS = ['look', 'taxonomy', 'image', 'feed'];
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

const isAllowed = (from: string, to: string, isType: boolean): boolean =>
  from === to ||
  (ALLOWED[from]?.includes(to) ?? false) ||
  (isType && (TYPES_ALLOWED[from]?.includes(to) ?? false));

const files = ['src', 'workers', 'models']
  .flatMap(filesUnder)
  .filter((file) => !file.includes(`${sep}training${sep}`));

test('rooms import in one direction only, as the table says', () => {
  const wrong = files.flatMap((file) =>
    everyImportOf(file)
      .filter(({ name }) => name.startsWith('.'))
      .map(({ name, isType }) => ({ target: join(dirname(file), name), isType }))
      .filter(({ target }) => relative(root, target) !== 'package.json')
      .filter(({ target, isType }) => !isAllowed(roomOf(file), roomOf(target), isType))
      .map(({ target }) => `${relative(root, file)} -> ${relative(root, target)}`),
  );
  expect(wrong).toEqual([]);
});

test('every room is in the table', () => {
  expect([...new Set(files.map(roomOf))].filter((room) => !(room in ALLOWED))).toEqual([]);
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

test('onnxruntime is loaded by the inference child alone', () => {
  const loaders = files.filter((file) =>
    importsOf(file).some((name) => name.startsWith('onnxruntime')),
  );
  expect(
    loaders
      .map((file) => relative(root, file))
      .filter((file) => !file.startsWith(join('workers', 'engine'))),
  ).toEqual([]);
});
