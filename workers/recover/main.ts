import { Command } from 'commander';
import { createJobRecords } from '../../src/intake/job-records.ts';
import { ConfigError, readConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { commandConnection, untilReady } from '../../src/platform/redis.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { type Rebuilder, rebuildAll, type Tally } from './rebuild.ts';
import { batches } from './rebuild-batches.ts';
import { feeds } from './rebuild-feeds.ts';
import { jobs } from './rebuild-jobs.ts';

const START_MILLIS = 10_000;
const AT_ONCE = 32;

/** What is rebuilt, in this order. */
const REBUILDERS: readonly Rebuilder[] = [jobs, batches, feeds];

type Tallies = Readonly<Record<string, Tally>>;

/** Rebuilds Redis from the store that the settings, or the instance that runs here, name. */
async function recover(): Promise<Tallies> {
  const config = readConfig(process.env);
  const log = createLog('recover', 'silent');
  const redis = commandConnection(config.REDIS_URL, log);
  try {
    await untilReady(redis, AbortSignal.timeout(START_MILLIS));
    const blobs = await openStorage(config);
    const queue = openQueue('async', redis, log);
    const parts = { redis, blobs, records: createJobRecords(redis), queue, log };
    const tallies = await rebuildAll(REBUILDERS, parts, AT_ONCE, new AbortController().signal);
    await queue.close();
    blobs.close();
    return tallies;
  } finally {
    redis.disconnect();
  }
}

const sentence = ([name, { rebuilt, known, unknown }]: [string, Tally]): string =>
  `${name}: ${rebuilt} rebuilt, ${known} known, ${unknown} left alone`;

async function main({ json }: { json: boolean }): Promise<void> {
  const startedAt = performance.now();
  const tallies = await recover();
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  if (json) return console.log(JSON.stringify({ ...tallies, seconds }));
  for (const entry of Object.entries(tallies)) console.log(sentence(entry));
  console.log(`Redis and the store belong together again (${seconds} s).`);
}

new Command('recover')
  .description(
    'Enters in Redis again what was accepted and not done, from what the store keeps of it: for a Redis that lost its data. Run it while gateway and workers run or not; again, it changes nothing. API keys are not in the store: restore them from a backup of Redis, or make new ones.',
  )
  .option('--json', 'answer in JSON', false)
  .action(main)
  .parseAsync()
  .catch((error) => {
    console.error(error instanceof ConfigError ? error.message : error);
    process.exitCode = 1;
  });
