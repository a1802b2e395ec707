import type { DeclaredSource, Place } from '../../src/intake/sources/declared-sources.ts';
import { folderLocation } from '../../src/storage/locations/folder-location.ts';
import type { Location } from '../../src/storage/locations/location.ts';
import { s3Location } from '../../src/storage/locations/s3-location.ts';
import type { WorkerServices } from '../worker-services.ts';
import { createImporter } from './import-source.ts';
import { SourceObjects, type SourcePlaces } from './source-objects.ts';

const openPlace = (place: Place): Location =>
  place.kind === 's3' ? s3Location(place) : folderLocation(place.path);

interface OpenSources {
  places: ReadonlyMap<string, SourcePlaces>;
  /** For the rows of their batches. */
  objects: SourceObjects;
  close(): void;
}

/** Opens the places of sources; touches none yet. */
export function openSources(declared: readonly DeclaredSource[]): OpenSources {
  const places = new Map(
    declared.map(({ id, from, to }) => [id, { from: openPlace(from), to: openPlace(to) }]),
  );
  return {
    places,
    objects: new SourceObjects(places),
    close() {
      for (const { from, to } of places.values()) {
        from.close();
        to.close();
      }
    },
  };
}

/** Returns a function that stops it. */
export function startSources(worker: WorkerServices, { places }: OpenSources): () => Promise<void> {
  const stopping = new AbortController();
  const running = worker.declared.flatMap((source) => {
    const open = places.get(source.id);
    return open ? [createImporter(worker, source, open, stopping.signal).run()] : [];
  });
  return async () => {
    stopping.abort();
    await Promise.all(running);
  };
}
