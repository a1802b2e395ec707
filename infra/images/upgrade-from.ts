import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from './engine.ts';

/** How the images are built; .dockerignore says what from. */
const BUILT_BY = ['infra/docker', '.dockerignore'];

/**
 * Returns what an image may depend on, as git's pathspecs.
 * @param dockerignore of which everything is ignored but the lines with an exclamation mark
 */
export function imagePathspecs(dockerignore: string): string[] {
  const patterns = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== '*' && !line.startsWith('#'));
  const pathspecOf = (pattern: string) =>
    pattern.startsWith('!') ? pattern.slice(1) : `:(exclude)${pattern}`;
  return [...BUILT_BY, ...patterns.map(pathspecOf)];
}

/**
 * Returns the last commit that differs in some files from the sources as they are, changes that are not committed
 * included: the parent of the last change to them, or the last commit. Undefined if there is none, or the history ends
 * before it.
 * @param pathspecs which files, as git's pathspecs
 */
export async function commitBefore(root: string, pathspecs: readonly string[]) {
  const git = (...args: string[]) => mustRun(['git', '-C', root, ...args]);
  if (await git('status', '--porcelain', '--', ...pathspecs))
    return git('rev-parse', '--short', 'HEAD');
  const changedBy = await git('log', '-1', '--format=%H', '--', ...pathspecs);
  return git('rev-parse', '--verify', '--quiet', '--short', `${changedBy}~1`).catch(
    () => undefined,
  );
}

/** As `commitBefore`, of what ships: an upgrade from the commit before may be one between identical images. */
export const lastDifferentCommit = async (root: string): Promise<string | undefined> =>
  commitBefore(root, imagePathspecs(await readFile(join(root, '.dockerignore'), 'utf8')));
