// @ts-check
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from '../launcher/install.mjs';
import { createTerminal } from '../launcher/terminal.mjs';

/*
 * `npm pack` and `npm publish` run this first, in the folder of the package, and build afterwards. A
 * fresh clone has no compiler yet, and an earlier build may contain files that no longer belong to it.
 */
const ROOT = join(import.meta.dirname, '../..');

if (!existsSync(join(ROOT, 'node_modules'))) {
  await installPackages(ROOT, createTerminal(process.stderr)); // standard output is npm's
}
rmSync('dist', { recursive: true, force: true });
