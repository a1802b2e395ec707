import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Client, ClientOptions } from '../../../packages/client/src/client.ts';
import { createClient } from '../../../packages/client/src/client.ts';
import { isKeyShaped } from '../../auth/key-record.ts';
import type { LocalInstance } from '../../platform/local-instance.ts';
import { homeOf, readInstance, START, whyNoInstance } from '../../platform/local-instance.ts';
import { fileErrorText, hasCode } from '../../platform/system-error.ts';
import { CliError, EXIT, usageError } from '../terminal/output.ts';

/** Options that choose the server and the key. */
export interface ServerOptions {
  server?: string;
  keyFile?: string;
}

interface ServerProfile {
  url: string;
  key: string;
}

/** @throws CliError if it exists and cannot be read */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new CliError(fileErrorText(error), EXIT.notAllowed, error);
  }
}

function checkUrl(text: string): string {
  if (z.url({ protocol: /^https?$/ }).safeParse(text).success) return text.replace(/\/+$/, '');
  throw usageError(`"${text}" is not a server URL: http://… or https://…`);
}

function serverUrl(chosen: string | undefined, local: LocalInstance | undefined, home: string) {
  if (chosen) return checkUrl(chosen);
  if (local) return local.url;
  throw new CliError(
    `No server is named. ${whyNoInstance(home)}\n` +
      `Pass --server, set SELVAGE_URL, start one with "${START}", or use none: selvage remove --local`,
    EXIT.unreachable,
  );
}

/** @throws CliError if the file holds something else than a key, such as half of one */
function findKey(file: string): string | undefined {
  const key = readText(file);
  if (!key) return undefined;
  if (/^[\x21-\x7e]+$/.test(key) && (!key.startsWith('slv_') || isKeyShaped(key))) return key;
  throw usageError(`${file} does not hold one whole key and nothing else`);
}

function readKey(file: string): string {
  const key = findKey(file);
  if (key) return key;
  throw usageError(`There is no key in ${file}`);
}

/** Resolves the server of callers who bring their own keys. @throws CliError if there is none */
export function serverUrlOf({ server }: ServerOptions, env: NodeJS.ProcessEnv): string {
  const home = homeOf(env);
  return serverUrl(server ?? (env.SELVAGE_URL || undefined), readInstance(home), home);
}

/**
 * Resolves server and key. The development key is used for the local instance only.
 * @throws CliError if there is no server or no key
 */
function resolveServerProfile(
  { server, keyFile }: ServerOptions,
  env: NodeJS.ProcessEnv,
): ServerProfile {
  const home = homeOf(env);
  const local = readInstance(home);
  const url = serverUrl(server ?? (env.SELVAGE_URL || undefined), local, home);
  const isLocal = local !== undefined && new URL(local.url).origin === new URL(url).origin;
  const developmentKey = isLocal ? findKey(join(home, 'dev-key')) : undefined;
  const key = keyFile ? readKey(keyFile) : env.SELVAGE_KEY?.trim() || developmentKey;
  if (key) return { url, key };
  throw new CliError(
    `No key for ${url}. Set SELVAGE_KEY, or put the key in a file and pass --key-file.`,
    EXIT.notAllowed,
  );
}

/** Creates a client of the chosen server. @throws CliError if there is no server or no key */
export function connect(options: ServerOptions, more: ClientOptions = {}): Client {
  const { url, key } = resolveServerProfile(options, process.env);
  // Somebody waits at a terminal.
  return createClient({ baseUrl: url, key, retry: { maxAttempts: 5 }, ...more });
}
