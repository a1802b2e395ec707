import { batchFiles } from '../../src/intake/batches/batch-files.ts';
import type { BatchRetention } from '../../src/intake/batches/batch-retention.ts';
import type { Batches, BatchRecord } from '../../src/intake/batches/batches.ts';
import { readRowOutcomes } from '../../src/intake/batches/row-reader.ts';
import {
  formatManifest,
  type ManifestLine,
  manifestName,
  objectOf,
  toManifestLine,
} from '../../src/intake/sources/manifest-lines.ts';
import type { SourceCounts, Sources } from '../../src/intake/sources/sources.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { SourceObject } from '../../src/queue/job-data.ts';
import type { Blobs } from '../../src/storage/blobs.ts';
import type { Location } from '../../src/storage/locations/location.ts';

export interface FinishDeps {
  batches: Batches;
  blobs: Blobs;
  sources: Sources;
  retention: Pick<BatchRetention, 'erase'>;
  /** Redis's time. */
  now: Clock;
}

const countsOf = (lines: readonly ManifestLine[]): SourceCounts => {
  const count = (wanted: ManifestLine['status']) =>
    lines.filter(({ status }) => status === wanted).length;
  return { succeeded: count('succeeded'), failed: count('failed'), rejected: count('rejected') };
};

/**
 * Writes the manifest of a batch that has ended, and lets objects be taken again that a place out of reach has failed.
 * Every step may be repeated: the manifest has the same name and lines, and the batch is counted once.
 * @returns why objects are taken again, or nothing
 * @throws LocationUnavailable
 */
export async function finishBatch(
  { batches, blobs, sources, retention, now }: FinishDeps,
  sourceId: string,
  batch: BatchRecord,
  to: Location,
  signal: AbortSignal,
): Promise<string | undefined> {
  const lines: ManifestLine[] = [];
  const again: SourceObject[] = [];
  let reason: string | undefined;
  const files = batchFiles(blobs, batch.client, batch.id);
  for await (const outcome of readRowOutcomes(batches, files, batch)) {
    const line = toManifestLine(outcome);
    if (line) lines.push(line);
    else again.push(objectOf(outcome));
    const { result } = outcome;
    if (!line && result?.status === 'failed') reason ??= result.problem.detail;
  }
  if (lines.length > 0) {
    await to.write(manifestName(batch), formatManifest(lines), 'application/jsonl', signal);
  }
  await sources.forget(sourceId, again);
  await sources.finish(sourceId, batch.id, countsOf(lines));
  await retention.erase(batch, now());
  return again.length > 0 ? (reason ?? 'the work was interrupted') : undefined;
}
