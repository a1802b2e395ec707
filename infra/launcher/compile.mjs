// @ts-check
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the programs are written, and what decides how. */
const SOURCES = ['src', 'workers', 'models', 'packages/client/src', 'data'];
const SETTINGS = ['tsconfig.json', 'package-lock.json', 'infra/launcher/bundle.mjs'];
/** Copied as they are: what runs in a browser or in Redis, and the words of the lexicon. */
const COPIED = ['src/console/browser', 'src/lua', 'data'];
const COMPILED_FILE = /\.(ts|json|tsv)$/;

/** Describes the sources that `dist` was compiled from. */
const STAMP = 'dist/.sources';
/** What programs share; its files are named by their content. */
const CHUNKS = 'chunks';
/** A program that was started before the sources changed may load a chunk later. */
const KEPT_MILLIS = 7 * 24 * 3_600_000;

/**
 * Returns the compiled file of a source file, relative to the repository.
 * @param {string} file
 */
export const compiledFile = (file) => join('dist', file.replace(/\.ts$/, '.js'));

/**
 * Compiles the programs into `dist`, unless it has them: from there they start far sooner than from source
 * (docs/adr/0072-programs-are-bundled.md). Types are not checked, which `npm run typecheck` does. Programs that
 * run from `dist`, or compile it too, are not disturbed: complete files replace others.
 * @param {string} root the repository
 * @param {import('./terminal.mjs').Terminal} [terminal] reports the step, if any is needed
 * @throws StartError if a file cannot be parsed
 */
export async function compile(root, terminal) {
  const sources = describeSources(root);
  if (readStamp(root) === sources) return;
  const work = () => compileAll(root, sources);
  await (terminal ? terminal.step('Compiling', work) : work());
}

/**
 * @param {string} root
 * @param {string} sources
 */
async function compileAll(root, sources) {
  const draft = join(root, 'dist', `.draft-${process.pid}`);
  try {
    // Not sooner: packages may have been installed only now.
    const { bundle } = await import('./bundle.mjs');
    await bundle(root, draft);
    for (const folder of COPIED)
      cpSync(join(root, folder), join(draft, folder), { recursive: true });
    moveFiles(draft, join(root, 'dist'));
    removeOldChunks(join(root, 'dist', CHUNKS));
    writeFileSync(join(root, STAMP), sources);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Moves every file to the same place in another folder.
 * @param {string} from
 * @param {string} to
 */
function moveFiles(from, to) {
  for (const file of filesIn(from)) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    renameSync(join(from, file), join(to, file));
  }
}

/**
 * Removes the chunks that no compilation has written for a week.
 * @param {string} folder
 */
export function removeOldChunks(folder) {
  for (const file of filesIn(folder).map((name) => join(folder, name)))
    if (statSync(file).mtimeMs < Date.now() - KEPT_MILLIS) rmSync(file);
}

/** @param {string} root */
function describeSources(root) {
  const hash = createHash('sha256');
  const compiled = (/** @type {string} */ folder) =>
    filesIn(join(root, folder))
      .filter((file) => COMPILED_FILE.test(file) || folder === 'src')
      .map((file) => join(folder, file));
  for (const file of [...SETTINGS, ...SOURCES.flatMap(compiled)]) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/**
 * Returns the files of a folder and its subfolders, relative to it.
 * @param {string} folder
 */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));

/** @param {string} root */
function readStamp(root) {
  try {
    return readFileSync(join(root, STAMP), 'utf8');
  } catch {
    return ''; // never compiled, or by `npm run build`
  }
}
