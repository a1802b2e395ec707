import type { Rebuilder, RecoverServices } from './rebuild.ts';
import { batches } from './rebuild-batches.ts';
import { feeds } from './rebuild-feeds.ts';
import { jobs } from './rebuild-jobs.ts';
import { deeds, keys, settings } from './rebuild-json.ts';

/** Returns what restores each kind of record, in the order in which they run: deeds before the jobs that they have canceled. Valid for one walk through storage. */
export const openRebuilders = (services: RecoverServices): Rebuilder[] =>
  [keys, deeds, jobs, batches, feeds, settings].map((open) => open(services));
