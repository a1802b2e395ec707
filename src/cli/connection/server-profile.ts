import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { CliError, EXIT, usageError } from '../terminal/exit.ts';

/** Options that say which server and who asks. */
export interface PlaceOptions {
  server?: string;
  keyFile?: string;
}

/** A server, and the key to show it. */
export interface Place {
  url: string;
  key: string;
}

const LocalInstance = z.object({ url: z.string(), pids: z.object({ launcher: z.number() }) });
type LocalInstance = z.infer<typeof LocalInstance>;

const homeOf = (env: NodeJS.ProcessEnv): string => resolve(env.SELVAGE_HOME || '.selvage');

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined; // there is none
  }
}

/** The instance that `npm start` runs under SELVAGE_HOME, where one does. */
export function localInstance(env: NodeJS.ProcessEnv): LocalInstance | undefined {
  try {
    return LocalInstance.parse(JSON.parse(readText(join(homeOf(env), 'instance.json')) ?? ''));
  } catch {
    return undefined; // none runs, or a launcher of another version wrote it
  }
}

function checkUrl(text: string): string {
  if (z.url({ protocol: /^https?$/ }).safeParse(text).success) return text.replace(/\/+$/, '');
  throw usageError(`"${text}" is no address of a server: http://… or https://…`);
}

function serverUrl(chosen: string | undefined, local: LocalInstance | undefined): string {
  if (chosen) return checkUrl(chosen);
  if (local) return local.url;
  throw new CliError(
    'No server is named and none runs here. Name one by --server or SELVAGE_URL, start one with "npm start",\n' +
      'or cut out without any: selvage remove --local',
    EXIT.unreachable,
  );
}

function keyIn(file: string): string {
  const key = readText(file);
  if (key) return key;
  throw usageError(`There is no key in ${file}`);
}

/**
 * Which server is meant, and with which key. The development key goes to the local instance alone.
 * @throws CliError where there is no server, or no key
 */
export function findPlace({ server, keyFile }: PlaceOptions, env: NodeJS.ProcessEnv): Place {
  const local = localInstance(env);
  const url = serverUrl(server ?? (env.SELVAGE_URL || undefined), local);
  const isLocal = local !== undefined && new URL(local.url).origin === new URL(url).origin;
  const developmentKey = isLocal ? readText(join(homeOf(env), 'dev-key')) : undefined;
  const key = keyFile ? keyIn(keyFile) : env.SELVAGE_KEY?.trim() || developmentKey;
  if (key) return { url, key };
  throw new CliError(
    `No key for ${url}. Set SELVAGE_KEY, or put the key in a file and name it by --key-file.`,
    EXIT.notAllowed,
  );
}
