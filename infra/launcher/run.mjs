// @ts-check
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compile, compiledFile } from './compile.mjs';
import { isCheckout } from './install.mjs';
import { checkRequirements, thisMachine } from './requirements.mjs';
import { StartError } from './start-error.mjs';

/*
 * Runs a program of the repository in this process, compiled:
 * `node infra/launcher/run.mjs src/cli/main.ts --help`.
 */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const [node = '', , program = '', ...args] = process.argv;

/** They load native code, which has no build for every machine. */
const isWorker = program.startsWith('workers/');

try {
  if (isWorker) checkRequirements(thisMachine());
  if (isCheckout(ROOT)) await compile(ROOT);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exit(1);
}
const file = join(ROOT, compiledFile(program));
process.argv = [node, file, ...args];
await import(pathToFileURL(file).href);
