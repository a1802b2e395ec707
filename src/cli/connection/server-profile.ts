import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { CliError, EXIT, usageError } from '../terminal/exit.ts';

/** Options that choose the server and the key. */
export interface ServerOptions {
  server?: string;
  keyFile?: string;
}

/** A server and the key for it. */
interface ServerProfile {
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
    return undefined; // it does not exist
  }
}

/** Returns the instance that `npm start` runs under SELVAGE_HOME, if any. */
export function localInstance(env: NodeJS.ProcessEnv): LocalInstance | undefined {
  try {
    return LocalInstance.parse(JSON.parse(readText(join(homeOf(env), 'instance.json')) ?? ''));
  } catch {
    return undefined; // none is running, or another version wrote the file
  }
}

function checkUrl(text: string): string {
  if (z.url({ protocol: /^https?$/ }).safeParse(text).success) return text.replace(/\/+$/, '');
  throw usageError(`"${text}" is not a server URL: http://… or https://…`);
}

function serverUrl(chosen: string | undefined, local: LocalInstance | undefined): string {
  if (chosen) return checkUrl(chosen);
  if (local) return local.url;
  throw new CliError(
    'No server is running here. Pass --server, set SELVAGE_URL, start one with "npm start",\n' +
      'or use none: selvage remove --local',
    EXIT.unreachable,
  );
}

function readKey(file: string): string {
  const key = readText(file);
  if (key) return key;
  throw usageError(`There is no key in ${file}`);
}

/**
 * Resolves server and key. The development key is used for the local instance only.
 * @throws CliError if there is no server or no key
 */
export function resolveServerProfile(
  { server, keyFile }: ServerOptions,
  env: NodeJS.ProcessEnv,
): ServerProfile {
  const local = localInstance(env);
  const url = serverUrl(server ?? (env.SELVAGE_URL || undefined), local);
  const isLocal = local !== undefined && new URL(local.url).origin === new URL(url).origin;
  const developmentKey = isLocal ? readText(join(homeOf(env), 'dev-key')) : undefined;
  const key = keyFile ? readKey(keyFile) : env.SELVAGE_KEY?.trim() || developmentKey;
  if (key) return { url, key };
  throw new CliError(
    `No key for ${url}. Set SELVAGE_KEY, or put the key in a file and pass --key-file.`,
    EXIT.notAllowed,
  );
}
