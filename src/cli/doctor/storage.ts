import { randomUUID } from 'node:crypto';
import { openStorage, type StorageSettings } from '../../storage/open-storage.ts';
import { type Finding, fail, firstLineOf, ok, warn } from './finding.ts';

const LIMIT_MILLIS = 10_000;

/** Writes a blob, reads it and deletes it, as the service does. Returns why something of it may be left. */
async function exerciseStorage(settings: StorageSettings): Promise<string | undefined> {
  const blobs = await openStorage(settings);
  const signal = AbortSignal.timeout(LIMIT_MILLIS);
  const key = `doctor/${randomUUID()}`;
  try {
    await blobs.check(signal);
    await blobs.put(key, Buffer.from(key), {}, signal);
    const read = await blobs.get(key, signal);
    if (!Buffer.from(key).equals(read))
      throw new Error('it returned other bytes than were written');
    await blobs.delete(key, signal);
    return blobs.kept();
  } finally {
    await blobs.delete(key).catch(() => {}); // the error above says why
    blobs.close();
  }
}

/** Checks that images can be stored, and deleted for good. */
export async function checkStorage(settings: StorageSettings): Promise<Finding[]> {
  const { STORE, STORE_DIR, S3_BUCKET } = settings;
  const location = STORE === 's3' ? `the bucket ${S3_BUCKET}` : STORE_DIR;
  const startedAt = performance.now();
  try {
    const kept = await exerciseStorage(settings);
    const millis = (performance.now() - startedAt).toFixed(0);
    const works = ok('store', `${location} can be read and written (${millis} ms)`);
    if (!kept) return [works];
    const advice =
      'Grant these rights, or use a bucket without them; npm run lifecycle has the bucket delete old versions after a day.';
    return [works, warn('erasure', `deletion is not complete: ${kept}`, advice)];
  } catch (error) {
    const unusable = fail(
      'store',
      `${location} cannot be used: ${firstLineOf(error)}`,
      STORE === 's3'
        ? 'Check S3_BUCKET, AWS_ENDPOINT_URL_S3, AWS_REGION and the credentials.'
        : 'Make it a folder that this user can write to, or set STORE_DIR to one.',
    );
    return [unusable];
  }
}
