import { FairShare, type ShareRejection } from '../http/fair-share.ts';
import { unavailable } from '../platform/problem.ts';
import { clientOf } from '../storage/blob-keys.ts';
import type { Blobs } from '../storage/blobs.ts';

const DETAILS: Readonly<Record<ShareRejection, string>> = {
  full: 'This server is sending as many files as it has connections to storage for; try again',
  share: 'You are receiving more files at once than this server has connections for; ask for fewer',
};

/**
 * Limits the blobs that are open as streams, and divides them fairly among the clients they belong to: each holds a
 * connection to storage for as long as its reader takes. `open` then throws upstream-unavailable.
 * @param max open streams
 */
export function limitDownloads(blobs: Blobs, max: number): Blobs {
  const share = new FairShare(max);
  return {
    ...blobs,
    async open(key, signal, range) {
      const client = clientOf(key);
      const rejection = share.check(client, 1);
      if (rejection) throw unavailable(DETAILS[rejection]);
      share.add(client, 1);
      const release = () => share.add(client, -1);
      try {
        const stream = await blobs.open(key, signal, range);
        return stream.once('close', release);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
