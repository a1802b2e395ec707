import { Command } from 'commander';
import { createJobRecords } from '../../src/intake/job-records.ts';
import { followClock } from '../../src/platform/clock.ts';
import { readConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { connectRedis } from '../../src/platform/redis-check.ts';
import { endStart } from '../../src/platform/start-error.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { type Counts, type Rebuilder, rebuildAll } from './rebuild.ts';
import { batches } from './rebuild-batches.ts';
import { feeds } from './rebuild-feeds.ts';
import { jobs } from './rebuild-jobs.ts';
import { settings } from './rebuild-settings.ts';

const START_MILLIS = 10_000;
const CONCURRENCY = 32;

/** In the order in which they run. */
const REBUILDERS: readonly Rebuilder[] = [jobs, batches, feeds, settings];

type CountsByName = Readonly<Record<string, Counts>>;

/** Rebuilds Redis from the object storage of the settings, or of the instance that runs here. */
async function recover(): Promise<CountsByName> {
  const config = readConfig(process.env);
  const log = createLog('recover', 'silent');
  const redis = await connectRedis(config, log, START_MILLIS);
  try {
    const now = await followClock(redis, log);
    const blobs = await openStorage(config);
    const queue = openQueue('async', redis, log);
    const records = createJobRecords(redis, now);
    const deps = { redis, blobs, records, queue, log, now };
    const counts = await rebuildAll(REBUILDERS, deps, CONCURRENCY, new AbortController().signal);
    await queue.close();
    blobs.close();
    return counts;
  } finally {
    redis.disconnect();
  }
}

const formatCounts = ([name, { rebuilt, known, unknown }]: [string, Counts]): string =>
  `${name}: ${rebuilt} rebuilt, ${known} known, ${unknown} skipped`;

async function main({ json }: { json: boolean }): Promise<void> {
  const startedAt = performance.now();
  const counts = await recover();
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  if (json) return console.log(JSON.stringify({ ...counts, seconds }));
  for (const entry of Object.entries(counts)) console.log(formatCounts(entry));
  console.log(`Redis and the object storage belong together again (${seconds} s).`);
}

new Command('recover')
  .description(
    'Rebuilds a Redis that lost its data from object storage: restores jobs that have not ended, batches, feeds, presets and rule packs. It may run while gateways and workers run; running it again changes nothing. API keys are not in object storage: restore them from a backup of Redis, or create new ones.',
  )
  .option('--json', 'print JSON', false)
  .action(main)
  .parseAsync()
  .catch(endStart);
