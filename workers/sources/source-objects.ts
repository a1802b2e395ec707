import type { DeclaredSource, Place } from '../../src/intake/sources/declared-sources.ts';
import { outputName } from '../../src/intake/sources/manifest-lines.ts';
import type { MediaType } from '../../src/output/options.ts';
import { Problem } from '../../src/platform/problem.ts';
import type { SourceObject } from '../../src/queue/job-data.ts';
import { folderLocation } from '../../src/storage/locations/folder-location.ts';
import type { Location } from '../../src/storage/locations/location.ts';
import { LocationUnavailable, ObjectGone } from '../../src/storage/locations/location.ts';
import { s3Location } from '../../src/storage/locations/s3-location.ts';

export interface SourcePlaces {
  from: Location;
  to: Location;
}

const gone = (): Problem =>
  new Problem('gone', 'The object was deleted or replaced before it was read');
const ownResult = (): Problem =>
  new Problem('invalid-request', 'The object is a result of a source, not a photo');

/** Reads objects of sources, and writes their results. */
export class SourceObjects {
  readonly #places: ReadonlyMap<string, SourcePlaces>;

  constructor(places: ReadonlyMap<string, SourcePlaces>) {
    this.#places = places;
  }

  #placesOf({ source }: SourceObject): SourcePlaces {
    const found = this.#places.get(source);
    if (found) return found;
    throw new LocationUnavailable('the source is not declared any more');
  }

  /** @throws Problem if it cannot be processed; LocationUnavailable */
  async read(object: SourceObject, signal: AbortSignal): Promise<Uint8Array> {
    const { from } = this.#placesOf(object);
    const { bytes, isResult } = await from.read(object, signal).catch((error) => {
      throw error instanceof ObjectGone ? gone() : error;
    });
    if (isResult) throw ownResult();
    return bytes;
  }

  /** @throws LocationUnavailable */
  async deliver(
    object: SourceObject,
    bytes: Uint8Array,
    mediaType: MediaType,
    signal: AbortSignal,
  ): Promise<void> {
    const { to } = this.#placesOf(object);
    await to.write(outputName(object, mediaType), bytes, mediaType, signal);
  }
}

const openPlace = (place: Place): Location =>
  place.kind === 's3' ? s3Location(place) : folderLocation(place.path);

/** Opens the places of sources; touches none yet. */
export function openSources(declared: readonly DeclaredSource[]) {
  const places: ReadonlyMap<string, SourcePlaces> = new Map(
    declared.map(({ id, from, to }) => [id, { from: openPlace(from), to: openPlace(to) }]),
  );
  return {
    places,
    /** For the rows of their batches. */
    objects: new SourceObjects(places),
    close(): void {
      for (const { from, to } of places.values()) {
        from.close();
        to.close();
      }
    },
  };
}
