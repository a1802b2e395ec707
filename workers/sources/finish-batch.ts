import type { BatchRecord } from '../../src/intake/batches/batch-record.ts';
import { readRowOutcomes } from '../../src/intake/batches/row-reader.ts';
import {
  formatManifest,
  type ManifestLine,
  manifestName,
  objectOf,
  PROBE,
  toGivenUpLine,
  toManifestLine,
} from '../../src/intake/sources/manifest-lines.ts';
import type { SourceCounts } from '../../src/intake/sources/sources.ts';
import type { SourceObject } from '../../src/queue/job-data.ts';
import type { Services } from '../../src/services.ts';
import { type Location, LocationUnavailable } from '../../src/storage/locations/location.ts';
import type { SourcePlaces } from './source-objects.ts';

type Ending = Pick<Services, 'batches' | 'blobs' | 'sources' | 'batchRetention' | 'now'>;

const countsOf = (lines: readonly ManifestLine[]): SourceCounts => {
  const count = (wanted: ManifestLine['status']) =>
    lines.filter(({ status }) => status === wanted).length;
  return { succeeded: count('succeeded'), failed: count('failed'), rejected: count('rejected') };
};

/** An object whose place did not give or take it. */
interface FailedObject extends SourceObject {
  reason: string;
}

/** The rows of a batch, by what becomes of their objects. */
interface Outcomes {
  lines: ManifestLine[];
  failed: FailedObject[];
  /** Their work has not ended. */
  interrupted: SourceObject[];
}

async function readOutcomes(services: Ending, batch: BatchRecord): Promise<Outcomes> {
  const outcomes: Outcomes = { lines: [], failed: [], interrupted: [] };
  for await (const outcome of readRowOutcomes(services, batch)) {
    const line = toManifestLine(outcome);
    const { result } = outcome;
    if (line) outcomes.lines.push(line);
    else if (result?.status !== 'failed') outcomes.interrupted.push(objectOf(outcome));
    else outcomes.failed.push({ ...objectOf(outcome), reason: result.problem.detail });
  }
  return outcomes;
}

/** Throws LocationUnavailable if nothing of a place can be listed now. */
export async function checkListing(place: Location, signal: AbortSignal): Promise<void> {
  const pages = place.list('', signal);
  await pages.next();
  await pages.return(undefined);
}

/** Returns why the places of a source cannot be used now; nothing if they can. */
async function findOutage({ from, to }: SourcePlaces, signal: AbortSignal) {
  try {
    await checkListing(from, signal);
    await to.write(PROBE, Buffer.from('Selvage can write here\n'), 'text/plain', signal);
    return undefined;
  } catch (error) {
    if (error instanceof LocationUnavailable) return error.message;
    throw error;
  }
}

/**
 * Writes the manifest of a batch that has ended. Objects that failed although their places can be used failed by
 * themselves: they are tried again after a pause of their own, and at last given up. Others are taken again. Every step
 * may be repeated: an attempt counts once, the manifest has the same name and lines, and the batch is counted once.
 * @returns the objects that failed by themselves, and why others are taken again, if any are
 * @throws LocationUnavailable
 */
export async function finishBatch(
  services: Ending,
  sourceId: string,
  batch: BatchRecord,
  places: SourcePlaces,
  signal: AbortSignal,
) {
  const { sources, batchRetention, now } = services;
  const { lines, failed, interrupted } = await readOutcomes(services, batch);
  const outage = failed.length > 0 ? await findOutage(places, signal) : undefined;
  const own = outage === undefined ? failed : [];
  const again = outage === undefined ? interrupted : [...interrupted, ...failed];
  const attempts = own.map((object) => ({ ...object, batch: batch.id }));
  const givenUp = await sources.failures.record(sourceId, attempts, now());
  const ended = lines.map(({ input }) => input);
  lines.push(...givenUp.map(toGivenUpLine));
  if (lines.length > 0) {
    const manifest = formatManifest(lines);
    await places.to.write(manifestName(batch), manifest, 'application/jsonl', signal);
  }
  await sources.failures.clear(sourceId, ended);
  await sources.forget(sourceId, again);
  await sources.finish(sourceId, batch.id, countsOf(lines));
  await batchRetention.erase(batch, now());
  return {
    failed: own,
    again: again.length > 0 ? (outage ?? 'the work was interrupted') : undefined,
  };
}
