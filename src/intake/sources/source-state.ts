import type { Batches } from '../batches/batches.ts';
import type { SourceCounts, SourceRecord, Sources } from './sources.ts';

export const SOURCE_STATUSES = [
  'off',
  'paused',
  'waiting',
  'unreachable',
  'working',
  'watching',
] as const;
type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** Versions of objects, by what became of them. */
interface ObjectCounts extends SourceCounts {
  found: number;
  pending: number;
}

/** Returns what a source does at present. */
export function statusOfSource({ settings, problem, batch }: SourceRecord): SourceStatus {
  if (!settings) return 'off';
  if (problem?.type === 'upstream-unavailable') return 'unreachable';
  if (settings.paused) return 'paused';
  if (problem) return 'waiting';
  return batch === undefined ? 'watching' : 'working';
}

export async function countObjects(
  batches: Pick<Batches, 'get'>,
  { batch: id, counts }: SourceRecord,
): Promise<ObjectCounts> {
  const batch = id === undefined ? undefined : await batches.get(id);
  const { accepted = 0, rejected = 0, succeeded = 0, failed = 0 } = batch ?? {};
  const all = {
    pending: Math.max(0, accepted - succeeded - failed),
    succeeded: counts.succeeded + succeeded,
    failed: counts.failed + failed,
    rejected: counts.rejected + rejected,
  };
  return { found: all.pending + all.succeeded + all.failed + all.rejected, ...all };
}

export async function readSourceFigures(
  sources: Pick<Sources, 'get'>,
  batches: Pick<Batches, 'get'>,
  ids: readonly string[],
) {
  const records = await Promise.all(ids.map((id) => sources.get(id)));
  const statuses = records.map(statusOfSource);
  const counts = await Promise.all(records.map((record) => countObjects(batches, record)));
  const sum = (state: keyof ObjectCounts) => counts.reduce((all, each) => all + each[state], 0);
  return {
    sources: SOURCE_STATUSES.map((status) => ({
      status,
      count: statuses.filter((each) => each === status).length,
    })),
    objects: (['pending', 'succeeded', 'failed', 'rejected'] as const).map((state) => ({
      state,
      count: sum(state),
    })),
  };
}
