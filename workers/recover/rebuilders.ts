import type { Rebuilder, RecoverDeps } from './rebuild.ts';
import { batches } from './rebuild-batches.ts';
import { deeds } from './rebuild-deeds.ts';
import { feeds } from './rebuild-feeds.ts';
import { jobs } from './rebuild-jobs.ts';
import { keys } from './rebuild-keys.ts';
import { settings } from './rebuild-settings.ts';

/** Returns what restores each kind of record, in the order in which they run. Valid for one walk through storage. */
export const openRebuilders = (deps: RecoverDeps): Rebuilder[] =>
  [keys, deeds, jobs, batches, feeds, settings].map((open) => open(deps));
