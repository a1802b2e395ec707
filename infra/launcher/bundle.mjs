// @ts-check
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { build, stop } from 'esbuild';
import { StartError } from './start-error.mjs';

/** Whatever is found by its path: programs, inference children, worker threads, and the pool that tests start. */
const PROGRAMS = [
  'src/main.ts',
  'src/cli/main.ts',
  'src/api/look/thread.ts',
  'workers/main.ts',
  'workers/recover/main.ts',
  'workers/local/main.ts',
  'workers/inference/child.ts',
  'workers/inference/pool.ts',
];

/** They load native code, or find files of their own by their path. */
const NOT_BUNDLED = [
  'sharp',
  'onnxruntime-node',
  'piscina',
  '@fastify/swagger-ui',
  '@bull-board/ui',
];

/**
 * Starts each file: what CommonJS packages expect, and the URL in `dist` of a file that the bundle contains. Longer
 * names than any package has.
 */
const PRELUDE = `
import { createRequire as createRequireOfBundle } from 'node:module';
import { fileURLToPath as fileURLToPathOfBundle } from 'node:url';
const require = createRequireOfBundle(import.meta.url);
const __filename = fileURLToPathOfBundle(import.meta.url);
const __dirname = fileURLToPathOfBundle(new URL('.', import.meta.url));
const distOfBundle = import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + '/dist/'.length);
const urlOfBundled = (file) => distOfBundle + file;
`;

/**
 * Keeps what a file says of its own path true, though its code is in another file of the bundle.
 * @param {string} root
 * @returns {import('esbuild').Plugin}
 */
const keepPaths = (root) => ({
  name: 'keep-paths',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const url = `urlOfBundled(${JSON.stringify(relative(root, path).replace(/ts$/, 'js'))})`;
      const contents = text
        .replaceAll('import.meta.url', url)
        .replaceAll('import.meta.dirname', `fileURLToPathOfBundle(new URL('.', ${url}))`);
      return { contents, loader: 'ts' };
    });
  },
});

/**
 * Leaves packages alone that our own files load later: of CommonJS such a bundle gives the default export only.
 * @type {import('esbuild').Plugin}
 */
const keepLatePackages = {
  name: 'keep-late-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ kind, importer }) =>
      kind === 'dynamic-import' && !importer.includes('node_modules')
        ? { external: true }
        : undefined,
    );
  },
};

/**
 * Bundles the programs, their packages included: most of a start is finding and reading hundreds of small files.
 * @param {string} root the repository
 * @param {string} into a folder within `dist`
 * @throws StartError if a file cannot be parsed
 */
export async function bundle(root, into) {
  try {
    await build({
      absWorkingDir: root,
      entryPoints: PROGRAMS,
      outbase: root,
      outdir: into,
      chunkNames: 'chunks/[name]-[hash]',
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: NOT_BUNDLED,
      banner: { js: PRELUDE },
      plugins: [keepPaths(root), keepLatePackages],
      logLevel: 'silent',
    });
  } catch (error) {
    throw new StartError(`The sources do not compile:\n${/** @type {Error} */ (error).message}`);
  } finally {
    await stop(); // else its process lives as long as this one
  }
}
