import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { COLLECTING } from '../../../workers/inference/v8-flags.ts';

/** Counts how often V8 looks through all of its memory over forty cut-outs. */
const SCRIPT = `
  import { PerformanceObserver, constants } from 'node:perf_hooks';
  import { drawnShirtOnWood } from './test/support/images.ts';
  import { openWork } from './workers/inference/work.ts';
  const file = await drawnShirtOnWood({ width: 800, height: 800, format: 'jpeg' });
  const about = { device: 'cpu', maxPixels: 1e6, modelsHome: 'models', threads: 1, batch: 1 };
  const { work } = await openWork({ model: 'garment-cutout', ...about });
  let collections = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries())
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
  }).observe({ entryTypes: ['gc'] });
  for (let i = 0; i < 40; i++) await work({ deed: 'cut-out' }, file);
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(collections);
  process.exit();
`;

const collectionsWith = (options: readonly string[]): number =>
  Number(
    execFileSync(
      process.execPath,
      [...options, '--import', 'tsx', '--input-type', 'module', '--eval', SCRIPT],
      { encoding: 'utf8' },
    ),
  );

test('V8 looks through all of its memory a good deal less often than it would', () => {
  // Seven pairs of runs had 10 or 11 for 19 to 35.
  expect(collectionsWith(COLLECTING)).toBeLessThan(0.75 * collectionsWith([]));
}, 60_000);
