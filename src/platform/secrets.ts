import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from './config.ts';

const Secrets = z.object({ keyPepper: z.string().min(16), lookSigningKeys: z.string().min(16) });

/** The secrets of an installation. */
type Secrets = z.infer<typeof Secrets>;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

const createSecrets = (): Secrets => ({
  keyPepper: randomBytes(32).toString('base64url'),
  lookSigningKeys: `k1:${randomBytes(32).toString('base64url')}`,
});

/**
 * Derives the secret of one purpose, 32 bytes, from the pepper. It reveals nothing about the others.
 * @param keyPepper `KEY_PEPPER`, or the one in `secrets.json`
 */
export const deriveSecret = (purpose: string, keyPepper: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', keyPepper, '', `selvage ${purpose}`, 32));

/**
 * Returns the secrets in `secrets.json` under `home`, and creates the file (mode 0600) on first use.
 * Processes that start at the same time agree: only one can create the file, and the others read it.
 */
export function readSecrets(home: string): Secrets {
  const file = join(home, 'secrets.json');
  try {
    return Secrets.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) {
      throw new Error(`${file} is damaged; restore it from a backup`, { cause: error });
    }
  }
  mkdirSync(home, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, JSON.stringify(createSecrets(), null, 2), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return Secrets.parse(JSON.parse(readFileSync(file, 'utf8')));
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
