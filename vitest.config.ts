import { defineConfig } from 'vitest/config';

/**
 * `unit` needs no service and takes seconds; `service` needs Redis, starts real processes, or (the
 * memory test of feeds) reads hundreds of megabytes.
 */
const pure = [
  'test/{look,taxonomy,imaging,client,http,fuzz}/**/*.test.ts',
  'test/feed-formats/!(memory).test.ts',
  'test/*.test.ts',
  'test/platform/{config,metrics}.test.ts',
];

export default defineConfig({
  test: {
    reporters: ['default'],
    // Most of them wait for processes of their own; one at a time leaves a core idle.
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: pure, testTimeout: 60_000 } },
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: pure,
          globalSetup: 'test/support/build.ts',
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // A busy machine may be slow; a test that waits for an event is not about how soon it comes.
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
});
