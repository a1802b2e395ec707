import { randomUUID } from 'node:crypto';
import { openStorage, type StorageSettings } from '../../storage/open-storage.ts';
import { type Finding, fail, ok, reasonOf } from './finding.ts';

const LIMIT_MILLIS = 10_000;

/** Writes a blob, reads it and deletes it, as the service would. */
async function useStore(settings: StorageSettings): Promise<void> {
  const blobs = await openStorage(settings);
  const signal = AbortSignal.timeout(LIMIT_MILLIS);
  const key = `doctor/${randomUUID()}`;
  try {
    await blobs.check(signal);
    await blobs.put(key, Buffer.from(key), {}, signal);
    const read = await blobs.get(key, signal);
    if (!Buffer.from(key).equals(read)) throw new Error('what was read is not what was written');
  } finally {
    await blobs.delete(key).catch(() => {}); // it says itself why, above
    blobs.close();
  }
}

/** Whether images can be kept. */
export async function checkStore(settings: StorageSettings): Promise<Finding> {
  const { STORE, STORE_DIR, S3_BUCKET } = settings;
  const place = STORE === 's3' ? `the bucket ${S3_BUCKET}` : STORE_DIR;
  const startedAt = performance.now();
  try {
    await useStore(settings);
    return ok(
      'store',
      `${place} takes and gives blobs (${(performance.now() - startedAt).toFixed(0)} ms)`,
    );
  } catch (error) {
    return fail(
      'store',
      `${place} cannot be used: ${reasonOf(error)}`,
      STORE === 's3'
        ? 'Check S3_BUCKET, AWS_ENDPOINT_URL_S3, AWS_REGION and the credentials.'
        : 'Make it a folder that this user may write to, or set STORE_DIR to one.',
    );
  }
}
