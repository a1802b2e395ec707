import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const Secrets = z.object({ keyPepper: z.string().min(16), lookSigningKeys: z.string().min(16) });

/** What an installation must keep to itself, where the environment does not set it. */
export type Secrets = z.infer<typeof Secrets>;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const fresh = (): Secrets => ({
  keyPepper: randomBytes(32).toString('base64url'),
  lookSigningKeys: `k1:${randomBytes(32).toString('base64url')}`,
});

/**
 * A secret for one purpose, 32 bytes, made of the pepper: knowing it tells nothing of another.
 * @param keyPepper `KEY_PEPPER`, or that of `secrets.json`
 */
export const secretFor = (purpose: string, keyPepper: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', keyPepper, '', `selvage ${purpose}`, 32));

/**
 * The installation's own secrets, made on first use in `secrets.json` (mode 0600) under `home`. Two
 * processes that start at once agree: the file is made exclusively, and the loser reads it.
 */
export function readSecrets(home: string): Secrets {
  const file = join(home, 'secrets.json');
  try {
    return Secrets.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (!isMissing(error))
      throw new Error(`${file} is damaged; restore it from a backup`, { cause: error });
  }
  mkdirSync(home, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, JSON.stringify(fresh(), null, 2), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return Secrets.parse(JSON.parse(readFileSync(file, 'utf8')));
}
