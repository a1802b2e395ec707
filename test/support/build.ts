import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Compiles what changed since the last run into `dist`, which tests start their processes from. Faults of
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

/** The name that Vitest calls. */
export const setup = compile;
