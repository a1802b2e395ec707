import {
  createStorageMetrics,
  watchDependencies,
  watchDisk,
} from '../platform/metrics/system-gauges.ts';
import type { Platform } from '../platform/open-platform.ts';
import type { Blobs } from '../storage/blobs.ts';
import {
  diskSpace,
  instrumentBlobs,
  openStorage,
  type StorageSettings,
} from '../storage/open-storage.ts';
import { checkInstallationId } from './installation-id.ts';

/**
 * Opens the object storage of this installation with metrics about it, and warns if Redis belongs to
 * another installation. Waits up to 30 s for a bucket that is unavailable; rejects if it stays so.
 */
export async function openInstallationStorage(
  settings: StorageSettings,
  { redis, registry, log }: Pick<Platform, 'redis' | 'registry' | 'log'>,
): Promise<Blobs> {
  const blobs = instrumentBlobs(await openStorage(settings), createStorageMetrics(registry));
  const reason = blobs.kept();
  if (reason)
    log.warn({ reason }, 'deletion is not complete: deleted images may remain in storage');
  await checkInstallationId(redis, blobs, log);
  if (settings.STORE === 'fs') watchDisk(registry, () => diskSpace(settings.STORE_DIR));
  watchDependencies(registry, {
    redis: async () => void (await redis.ping()),
    store: () => blobs.check(),
  });
  return blobs;
}
