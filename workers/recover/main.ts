import { Command } from 'commander';
import { followClock } from '../../src/platform/clock.ts';
import { connectToInstallation } from '../../src/platform/installation.ts';
import { createLog } from '../../src/platform/log.ts';
import { endStart } from '../../src/platform/start-error.ts';
import { composeServices } from '../../src/services.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { CONCURRENCY, type Counts, rebuildAndAdopt } from './rebuild.ts';
import { openRebuilders } from './rebuilders.ts';

type CountsByName = Readonly<Record<string, Counts>>;

/** Rebuilds Redis from the object storage of the settings, or of the instance that runs here. */
async function recover(): Promise<CountsByName> {
  const log = createLog('recover', 'silent');
  const { config, redis } = await connectToInstallation(process.env, log);
  try {
    const now = await followClock(redis, log);
    const services = composeServices({ redis, log, now }, await openStorage(config));
    const pass = { concurrency: CONCURRENCY };
    const never = new AbortController().signal;
    const counts = await rebuildAndAdopt(openRebuilders(services), services, pass, never);
    await services.close();
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
    'Rebuilds a Redis that lost its data from object storage: restores jobs that have not ended, batches, feeds, API keys, presets and rule packs. Workers do the same by themselves. It may run while gateways and workers run; running it again changes nothing.',
  )
  .option('--json', 'print JSON', false)
  .action(main)
  .parseAsync()
  .catch(endStart);
