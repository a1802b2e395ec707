import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Counts how often V8 looks through all of its memory over forty cut-outs, in a process of its own. */
const script = (then: string) => `
  import { PerformanceObserver, constants } from 'node:perf_hooks';
  import { setFlagsFromString } from 'node:v8';
  import { drawnShirtOnWood } from './test/support/images.ts';
  import { openWork } from './workers/engine/work.ts';
  const file = await drawnShirtOnWood({ width: 800, height: 800, format: 'jpeg' });
  const about = { device: 'cpu', maxPixels: 1e6, modelsHome: 'models', threads: 1, batch: 1 };
  const { work } = await openWork({ model: 'garment-cutout', ...about });
  ${then}
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

const collectionsWhere = (then: string): number =>
  Number(
    execFileSync(
      process.execPath,
      ['--import', 'tsx', '--input-type', 'module', '--eval', script(then)],
      { encoding: 'utf8' },
    ),
  );

test('V8 looks through all of its memory less than half as often as it would', () => {
  const usual = collectionsWhere("setFlagsFromString('--heap-growing-percent=0');");
  expect(collectionsWhere('')).toBeLessThan(usual / 2);
}, 60_000);
