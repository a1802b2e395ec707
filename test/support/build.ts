import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Compiles what changed since the last run into `dist`, from which tests start their processes. Errors of
 * types are for `npm run typecheck`; what can be emitted is.
 */
export function compile(): void {
  const compiler = join(ROOT, 'node_modules', '.bin', 'tsc');
  const incremental = ['--incremental', '--tsBuildInfoFile', 'dist/.tsbuildinfo'];
  try {
    execFileSync(compiler, ['-p', 'tsconfig.build.json', ...incremental], { cwd: ROOT });
  } catch (error) {
    console.error(`types: ${(error as { stdout?: Buffer }).stdout}`);
  }
  cpSync(join(ROOT, 'src/console/browser'), join(ROOT, 'dist/src/console/browser'), {
    recursive: true,
  });
}

/** Called by Vitest. */
export const setup = compile;
