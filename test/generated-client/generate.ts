import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    outDir: 'dist',
  },
  files: ['program.ts'],
};

/** Generates `api.d.ts` from a document, as the docs say, and returns its text. */
export async function generateTypes(folder: string, document: string): Promise<string> {
  const out = join(folder, 'api.d.ts');
  const cli = fileOf('openapi-typescript', 'bin/cli.js');
  await exec(process.execPath, [cli, document, '-o', out]);
  return readFile(out, 'utf8');
}

/** Sets up an empty folder with the program and its libraries; the types are generated into it. */
export async function layOut(folder: string): Promise<void> {
  await copyFile(join(HERE, 'program.ts'), join(folder, 'program.ts'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of LIBRARIES) {
    await symlink(fileOf(name, '.'), join(folder, 'node_modules', name));
  }
}

/** Type-checks and compiles the program. Rejects with what the compiler says. */
export async function compile(folder: string): Promise<void> {
  const tsc = fileOf('typescript', 'bin/tsc');
  await exec(process.execPath, [tsc, '-p', folder]).catch((error) => {
    throw new Error(error.stdout || error.message);
  });
}

/** Runs the compiled program, and returns what it reports. */
export async function runProgram(folder: string, ...args: string[]): Promise<unknown> {
  const { stdout } = await exec(process.execPath, [join(folder, 'dist/program.js'), ...args]);
  return JSON.parse(stdout);
}
