import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { PREFIX } from '../platform/redis.ts';

/** The key under which secrets are encrypted that are stored elsewhere: object storage must not reveal one. */
const SEAL_KEY = `${PREFIX}:seal`;
const SEAL = 'aes-256-gcm';
const [IV_BYTES, TAG_BYTES] = [12, 16];

/** Creates the key of secrets, if Redis has none. It is older than anything that Redis may lose. */
export const createSealKey = async (redis: Redis): Promise<void> =>
  void (await redis.set(SEAL_KEY, randomBytes(32).toString('base64'), 'NX'));

const readSealKey = async (redis: Redis): Promise<Buffer> =>
  Buffer.from((await redis.get(SEAL_KEY)) ?? '', 'base64');

/** Encrypts a text, so that only this Redis can read it. @param owner must be given again to read it */
export async function seal(redis: Redis, owner: string, text: string): Promise<string> {
  await createSealKey(redis); // Redis may have been emptied
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(SEAL, await readSealKey(redis), iv).setAAD(Buffer.from(owner));
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64');
}

/** Decrypts such a text; undefined if it was encrypted by another Redis, or for another owner. */
export async function unseal(
  redis: Redis,
  owner: string,
  sealed: string,
): Promise<string | undefined> {
  const bytes = Buffer.from(sealed, 'base64');
  const end = IV_BYTES + TAG_BYTES;
  const key = await readSealKey(redis);
  try {
    const decipher = createDecipheriv(SEAL, key, bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(IV_BYTES, end));
    return Buffer.concat([decipher.update(bytes.subarray(end)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}
