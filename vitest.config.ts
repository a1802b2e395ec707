import { configDefaults, defineConfig } from 'vitest/config';
import { createMinuteReporter } from './test/support/minute-reporter.ts';

/**
 * `unit` needs no service and takes seconds; `service` needs Redis, starts real processes, or (the
 * memory test of feeds) reads hundreds of megabytes.
 */
const pure = [
  'test/{look,taxonomy,imaging,output,client,http,fuzz,support}/**/*.test.ts',
  'test/feed-formats/!(memory).test.ts',
  'test/api/{limit-downloads,look,taxonomy}.test.ts',
  'test/api/look/client-turns.test.ts',
  'test/platform/{config,metrics}.test.ts',
  'test/infra/kubernetes/schemas.test.ts',
  'test/infra/{images,images-upgrade,settings,release/lock-file}.test.ts',
  'test/*.test.ts',
];

/** A busy machine may be slow; waiting for an event does not test how soon it comes. */
const PATIENT = { poll: { timeout: 60_000 } };

/**
 * Loading modules for each file again would take as long as half of the tests. So a file restores the globals, the
 * environment and the modules that it changes.
 */
const IS_ISOLATED = false;

const SETUP = ['test/support/nodes-fetch.ts'];

/** Most workers of tests end before it pays. Here, because the shared stack starts in Vitest's own process. */
process.env.WORKER_WARM_UP = 'false';

export default defineConfig({
  test: {
    // On a terminal Vitest shows all the time what runs.
    reporters: ['default', ...(process.stdout.isTTY ? [] : [createMinuteReporter(console.info)])],
    // Most tests wait for their own processes, so one worker would leave a core idle.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: pure,
          isolate: IS_ISOLATED,
          setupFiles: SETUP,
          testTimeout: 90_000,
          expect: PATIENT,
        },
      },
      {
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...pure],
          isolate: IS_ISOLATED,
          setupFiles: SETUP,
          globalSetup: ['test/support/compile-all.ts', 'test/support/serve-stack.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          expect: PATIENT,
        },
      },
    ],
  },
});
