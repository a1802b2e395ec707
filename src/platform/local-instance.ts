import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { fileErrorText, hasCode } from './system-error.ts';

const LocalInstance = z.object({
  url: z.string(),
  /** Once it runs. */
  redisUrl: z.string().optional(),
  pids: z.object({ launcher: z.number() }),
});

/** How whoever reads a message starts Selvage: from the installed package, or in the repository. */
export const START = /[/\\]node_modules[/\\]/.test(import.meta.dirname)
  ? 'selvage start'
  : 'npm start';

export type LocalInstance = z.infer<typeof LocalInstance>;

const fileOf = (home: string): string => join(home, 'instance.json');

export const homeOf = (env: NodeJS.ProcessEnv): string => resolve(env.SELVAGE_HOME || '.selvage');

/** Returns the instance that runs under a home, if any. */
export function readInstance(home: string): LocalInstance | undefined {
  try {
    return LocalInstance.parse(JSON.parse(readFileSync(fileOf(home), 'utf8')));
  } catch {
    return undefined; // none is running, or another version wrote the file
  }
}

/** Says why a home has no instance that can be used. */
export function whyNoInstance(home: string): string {
  try {
    readFileSync(fileOf(home));
    return `What runs under ${home} is starting, or of another version.`;
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) return `${fileErrorText(error)}.`;
    return existsSync(home)
      ? `Nothing runs under ${home}: it has stopped.`
      : `There is no folder ${home}, the SELVAGE_HOME of this command.`;
  }
}
