import type { Processor } from './attempt.ts';
import { type FetchInputDeps, openInput, withFetchPermit } from './fetch-input.ts';
import { fetchNow } from './remove-background.ts';

/** Fetches an image for a waiting client, in place of its link. Throws like `fetchInput`. */
export const fetchImage =
  (inputs: FetchInputDeps): Processor<'fetch-image'> =>
  async ({ inputKey, client }, signal, attempt) => {
    const startedAt = performance.now();
    const input = await openInput(inputs.blobs, inputKey, signal);
    const turn = { client, attempt };
    return withFetchPermit(inputs.pool, turn, input.link, signal, async () => {
      const { bytes, format, sha256 } = await fetchNow(inputs, input, turn, signal);
      const mediaType = `image/${format}` as const;
      const millis = { fetch: performance.now() - startedAt };
      return { bytes: bytes.length, mediaType, sha256, millis };
    });
  };
