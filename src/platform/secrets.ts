import { hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type Config, ConfigError } from './config.ts';
import { fileErrorText, hasCode } from './system-error.ts';

const Secrets = z.object({ keyPepper: z.string().min(16), lookSigningKeys: z.string().min(16) });

type Secrets = z.infer<typeof Secrets>;

const newSecrets = (): Secrets => ({
  keyPepper: randomBytes(32).toString('base64url'),
  lookSigningKeys: `k1:${randomBytes(32).toString('base64url')}`,
});

/**
 * Derives the secret of one purpose, 32 bytes, from the pepper. It reveals nothing about the others.
 * @param keyPepper `KEY_PEPPER`, or the one in `secrets.json`
 */
export const deriveSecret = (purpose: string, keyPepper: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', keyPepper, '', `selvage ${purpose}`, 32));

const fileOf = (home: string): string => join(home, 'secrets.json');

/**
 * Returns the secrets in `secrets.json` under `home`, if there are any; an empty file has none.
 * @throws ConfigError if it is damaged or cannot be read
 */
export function findSecrets(home: string): Secrets | undefined {
  const file = fileOf(home);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new ConfigError([`SELVAGE_HOME: ${fileErrorText(error)}`]);
  }
  if (text.trim() === '') return undefined;
  try {
    return Secrets.parse(JSON.parse(text));
  } catch {
    throw new ConfigError([`SELVAGE_HOME: ${file} is damaged; restore it from a backup`]);
  }
}

/** A recursive mkdir says ENOENT for a read-only disk. */
function makeHome(home: string): void {
  mkdirSync(dirname(home), { recursive: true });
  try {
    mkdirSync(home, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/** Writes the file whole or not at all, unless another process was faster; an empty one is replaced. */
function createSecrets(home: string): void {
  const file = fileOf(home);
  const draft = `${file}.${process.pid}`;
  const text = JSON.stringify(newSecrets(), null, 2);
  try {
    makeHome(home);
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST'))
      throw new ConfigError([`SELVAGE_HOME: ${file}: ${fileErrorText(error)}`]);
    if (!findSecrets(home)) renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Returns the secrets in `secrets.json` under `home`, and creates the file (mode 0600) on first use.
 * Processes that start at the same time agree: only one can create the file, and the others read it.
 * @throws ConfigError if it is damaged, or cannot be read or written
 */
export function readSecrets(home: string): Secrets {
  const secrets = findSecrets(home);
  if (secrets) return secrets;
  createSecrets(home);
  return readSecrets(home);
}

type SecretSettings = Pick<Config, 'KEY_PEPPER' | 'LOOK_SIGNING_KEYS' | 'SELVAGE_HOME'>;

/** Returns the secrets of the settings; those that are not set come from `secrets.json`. */
export const resolveSecrets = ({
  KEY_PEPPER,
  LOOK_SIGNING_KEYS,
  SELVAGE_HOME,
}: SecretSettings): Secrets => ({
  keyPepper: KEY_PEPPER ?? readSecrets(SELVAGE_HOME).keyPepper,
  lookSigningKeys: LOOK_SIGNING_KEYS ?? readSecrets(SELVAGE_HOME).lookSigningKeys,
});
