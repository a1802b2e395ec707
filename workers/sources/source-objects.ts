import { outputName } from '../../src/intake/sources/manifest-lines.ts';
import type { MediaType } from '../../src/output/options.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { SourceObject } from '../../src/queue/job-data.ts';
import {
  type Location,
  LocationUnavailable,
  ObjectGone,
} from '../../src/storage/locations/location.ts';

/** The two places of a source. */
export interface SourcePlaces {
  from: Location;
  to: Location;
}

/** Reads objects of sources, and writes their results. */
export interface SourceObjects {
  /** @throws Problem if it cannot be processed; LocationUnavailable */
  read(object: SourceObject, signal: AbortSignal): Promise<Uint8Array>;
  /** @throws LocationUnavailable */
  deliver(
    object: SourceObject,
    bytes: Uint8Array,
    mediaType: MediaType,
    signal: AbortSignal,
  ): Promise<void>;
}

const gone = (): Problem =>
  new Problem('gone', 'The object was deleted or replaced before it was read');
const ownResult = (): Problem =>
  new Problem('invalid-request', 'The object is a result of a source, not a photo');

/** Reads and writes the objects of these sources. */
export function createSourceObjects(places: ReadonlyMap<string, SourcePlaces>): SourceObjects {
  function placesOf({ source }: SourceObject): SourcePlaces {
    const found = places.get(source);
    if (found) return found;
    throw new LocationUnavailable('the source is not declared any more');
  }
  return {
    async read(object, signal) {
      const { from } = placesOf(object);
      const { bytes, isResult } = await from.read(object, signal).catch((error) => {
        throw error instanceof ObjectGone ? gone() : error;
      });
      if (isResult) throw ownResult();
      return bytes;
    },
    async deliver(object, bytes, mediaType, signal) {
      const { to } = placesOf(object);
      await to.write(outputName(object, mediaType), bytes, mediaType, signal);
    },
  };
}
