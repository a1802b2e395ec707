import type { Processor } from './attempt.ts';
import { type FetchServices, openInput, withFetchPermit } from './fetch-input.ts';
import { fetchNow } from './remove-background.ts';
import type { WorkerServices } from './worker-services.ts';

/** Fetches an image for a waiting client, in place of its link. Throws like `fetchInput`. */
export const fetchImage =
  (worker: FetchServices & Pick<WorkerServices, 'pools'>): Processor<'fetch-image'> =>
  async ({ inputKey, client }, signal, attempt) => {
    const startedAt = performance.now();
    const input = await openInput(worker.blobs, inputKey, signal);
    const turn = { client, attempt };
    return withFetchPermit(worker.pools.sync, turn, input.link, signal, async () => {
      const { bytes, format, sha256 } = await fetchNow(worker, input, turn, signal);
      const mediaType = `image/${format}` as const;
      const millis = { fetch: performance.now() - startedAt };
      return { bytes: bytes.length, mediaType, sha256, millis };
    });
  };
