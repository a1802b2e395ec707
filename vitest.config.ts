import { configDefaults, defineConfig } from 'vitest/config';

/**
 * `unit` needs no service and takes seconds; `service` needs Redis, starts real processes, or (the
 * memory test of feeds) reads hundreds of megabytes.
 */
const pure = [
  'test/{look,taxonomy,imaging,output,client,http,fuzz,support}/**/*.test.ts',
  'test/feed-formats/!(memory).test.ts',
  'test/api/{etag,limit-downloads,look,taxonomy}.test.ts',
  'test/api/look/client-turns.test.ts',
  'test/platform/{config,metrics}.test.ts',
  'test/infra/kubernetes/schemas.test.ts',
  'test/infra/{images,release/lock-file}.test.ts',
  'test/*.test.ts',
];

export default defineConfig({
  test: {
    reporters: ['default'],
    // Most tests wait for their own processes, so one worker would leave a core idle.
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: pure, testTimeout: 60_000 } },
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...pure],
          globalSetup: 'test/support/compile-all.ts',
          testTimeout: 180_000,
          hookTimeout: 120_000,
          // A busy machine may be slow; waiting for an event does not test how soon it comes.
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
});
