import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { GC_FLAGS } from '../../../workers/inference/v8-flags.ts';

/** Counts the major garbage collections during twenty cut-outs. */
const SCRIPT = `
  import { PerformanceObserver, constants } from 'node:perf_hooks';
  import { drawnShirtOnWood } from './test/support/images.ts';
  import { openTaskRunner } from './workers/inference/task-runner.ts';
  const file = await drawnShirtOnWood({ width: 800, height: 800, format: 'jpeg' });
  const options = { device: 'cpu', maxPixels: 1e6, modelsHome: 'models', threads: 1, batch: 1 };
  const { runTask } = await openTaskRunner({ model: 'garment-cutout', ...options });
  let collections = 0;
  const count = (entries) => {
    for (const { detail } of entries)
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
  };
  const observer = new PerformanceObserver((list) => count(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  for (let i = 0; i < 20; i++) await runTask({ task: 'cut-out' }, file);
  // Entries are handed over in the turn of the event loop after their collection.
  await new Promise(setImmediate);
  count(observer.takeRecords());
  console.log(collections);
  process.exit();
`;

const collectionsWith = (flags: readonly string[]): number =>
  Number(
    execFileSync(
      process.execPath,
      [...flags, '--import', 'tsx', '--input-type', 'module', '--eval', SCRIPT],
      { encoding: 'utf8' },
    ),
  );

test('the flags reduce major garbage collections by at least a quarter', () => {
  // Seven pairs of runs had 10 or 11 with the flags, and 19 to 35 without.
  expect(collectionsWith(GC_FLAGS)).toBeLessThan(0.75 * collectionsWith([]));
});
