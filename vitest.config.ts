import { configDefaults, defineConfig } from 'vitest/config';
import { createFailedFilesReporter } from './test/support/failed-files-reporter.ts';
import { FILES_OF_MANY } from './test/support/files-of-many.ts';
import { createMinuteReporter } from './test/support/minute-reporter.ts';
import { isMissing } from './test/support/requirement.ts';

/** A file is named for what it needs (test/architecture.test.ts); `unit` is what needs nothing, `long` nothing but time. */
const needy = 'test/**/*.{model,redis,service,processes}.test.ts';
const long = 'test/**/*.long.test.ts';

/** Minutes of faults, documents and packages, which `.ci/run` adds to `npm test`. */
const onlyInCi = [
  'test/faults/{campaign,hostile,upgrade}.processes.test.ts',
  'test/docs/commands.processes.test.ts',
  'test/contract/package.processes.test.ts',
  'test/bench/{gate,load-overload}.processes.test.ts',
  'test/n8n-node/n8n-node.processes.test.ts',
];

/** What differs between a folder and a bucket would show in these: they run on both. */
const onEveryStore = [
  'test/contract/{intake-jobs,intake-batches,intake-feeds,review,sources}.*.test.ts',
  'test/contract/{job-refinements,row-refinements,erasure,published-links}.*.test.ts',
];
const canHaveS3 = async (): Promise<boolean> =>
  Boolean(process.env.AWS_ENDPOINT_URL_S3) ||
  (await import('./test/support/services.ts')).hasEngine();
const hasNoS3 = isMissing(
  's3',
  await canHaveS3(),
  'no S3: AWS_ENDPOINT_URL_S3 is not set and no container engine answers',
);

/** A busy machine may be slow; waiting for an event does not test how soon it comes. */
const PATIENT = { poll: { timeout: 60_000 } };
/** Without services a look costs nothing. */
const KEEN = { poll: { ...PATIENT.poll, interval: 5 } };

/**
 * Loading modules for each file again would take as long as half of the tests. So a file restores the globals, the
 * environment and the modules that it changes.
 */
const IS_ISOLATED = false;

const SETUP = ['test/support/nodes-fetch.ts', 'test/support/equal-bytes.ts'];

/** Most workers of tests end before it pays. Here, because the shared stack starts in Vitest's own process. */
process.env.WORKER_WARM_UP = 'false';

const WITH_SERVICES = {
  isolate: IS_ISOLATED,
  setupFiles: SETUP,
  globalSetup: ['test/support/compile-all.ts', 'test/support/serve-stack.ts'],
  testTimeout: 180_000,
  hookTimeout: 120_000,
  expect: PATIENT,
};

const WITHOUT_SERVICES = {
  isolate: IS_ISOLATED,
  setupFiles: SETUP,
  testTimeout: 90_000,
  hookTimeout: 90_000,
  expect: KEEN,
};

const { SELVAGE_FAILED_FILES: failedFiles } = process.env;
delete process.env.SELVAGE_FAILED_FILES; // a run that a test starts has a list of its own

export default defineConfig({
  test: {
    reporters: [
      'default',
      // On a terminal Vitest shows all the time what runs.
      ...(process.stdout.isTTY ? [] : [createMinuteReporter(console.info)]),
      ...(failedFiles ? [createFailedFilesReporter(failedFiles)] : []),
    ],
    // What a run has transformed is kept in node_modules for the next one.
    experimental: { fsModuleCache: true },
    // Most files wait for their own processes, and use less than half of a core.
    maxWorkers: 4,
    projects: [
      {
        test: {
          ...WITHOUT_SERVICES,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, needy, long],
        },
      },
      {
        test: {
          ...WITHOUT_SERVICES,
          name: 'long',
          include: [long, ...FILES_OF_MANY],
          env: { TEST_CASES: 'all' },
        },
      },
      {
        test: {
          ...WITH_SERVICES,
          name: 'service',
          include: [needy],
          exclude: [...configDefaults.exclude, ...onlyInCi],
        },
      },
      {
        test: {
          ...WITH_SERVICES,
          name: 'ci',
          include: onlyInCi,
        },
      },
      {
        test: {
          ...WITH_SERVICES,
          name: 's3',
          include: hasNoS3 ? [] : onEveryStore,
          env: { TEST_STORE: 's3' },
        },
      },
    ],
  },
});
