import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const HERE = dirname(fileURLToPath(import.meta.url));
const { resolve } = createRequire(import.meta.url);

/** Returns a file of an installed package. */
const fileOf = (name: string, path: string): string =>
  join(dirname(resolve(`${name}/package.json`)), path);

const LIBRARIES = ['openapi-fetch', 'eventsource-parser', '@types/node'];

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: ['node'],
    module: 'NodeNext',
    strict: true,
    noUncheckedIndexedAccess: true,
    outDir: 'dist',
  },
  include: ['openapi-fetch.ts', 'hey-api.ts', 'orval.ts', '*.d.ts'],
};

/** hey-api needs the programming interface of TypeScript, which the compiler of this project lacks. */
const WITH_TYPESCRIPT_5 = join(HERE, 'with-typescript-5.mjs');

/** Each generator of a whole client as the docs run it, from the folder that it generates into. */
const generators = (document: string): readonly string[][] => [
  [
    '--import',
    pathToFileURL(WITH_TYPESCRIPT_5).href,
    fileOf('@hey-api/openapi-ts', 'dist/run.mjs'),
    ...['-i', document, '-o', 'hey-api'],
  ],
  [fileOf('orval', 'dist/bin/orval.mjs'), '--config', 'orval.config.mjs'],
];

/** Generates types by openapi-typescript, as the docs do. */
const typesOf = (document: string): string[] => [
  ...[fileOf('openapi-typescript', 'bin/cli.js'), document],
  ...['-o', `${nameOf(document)}.d.ts`],
];

const nameOf = (document: string): string =>
  basename(document, '.json').replace(/^openapi$/, 'api');

/** Generates clients from the first document, and types from each. Returns the types by name. */
export async function generateClients(
  folder: string,
  documents: readonly string[],
): Promise<Record<string, string>> {
  const [first = ''] = documents;
  const env = { ...process.env, DOCUMENT: first, SELVAGE_URL: new URL(first).origin };
  const run = (args: string[]) => exec(process.execPath, args, { cwd: folder, env });
  await Promise.all([...generators(first), ...documents.map(typesOf)].map(run));
  const read = async (document: string) =>
    [nameOf(document), await readFile(join(folder, `${nameOf(document)}.d.ts`), 'utf8')] as const;
  return Object.fromEntries(await Promise.all(documents.map(read)));
}

/** Sets up an empty folder with the programs and their libraries; the clients are generated into it. */
export async function layOut(folder: string): Promise<void> {
  await cp(join(HERE, 'programs'), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of LIBRARIES) {
    await symlink(fileOf(name, '.'), join(folder, 'node_modules', name));
  }
}

/** Type-checks and compiles the programs. Rejects with what the compiler says. */
export async function compile(folder: string): Promise<void> {
  const tsc = join(HERE, '../../node_modules/typescript/bin/tsc');
  await exec(process.execPath, [tsc, '-p', folder]).catch((error) => {
    throw new Error(error.stdout || error.message);
  });
}

export const PYTHON = process.env.PYTHON ?? 'python3';

/** Runs a compiled program, or one in Python, and returns what it reports. */
export async function runProgram(folder: string, name: string, args: string[]): Promise<unknown> {
  const [command, file] = name.endsWith('.py')
    ? [PYTHON, name]
    : [process.execPath, `dist/${name}.js`];
  const { stdout } = await exec(command, [file, ...args], { cwd: folder });
  return JSON.parse(stdout);
}
