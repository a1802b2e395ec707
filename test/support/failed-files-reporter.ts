import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter } from 'vitest/node';

/**
 * Writes the files that failed, one a line, from which `.ci/run` decides whether to run them once more. Writes nothing
 * if the run was interrupted, or if an error belongs to no file: then there is no list to trust.
 * @param into the list
 */
export function createFailedFilesReporter(into: string): Required<Pick<Reporter, 'onTestRunEnd'>> {
  return {
    onTestRunEnd(modules, unhandledErrors, reason) {
      const failed = modules.filter((module) => module.state() === 'failed');
      const blamed = unhandledErrors.map((error) => error.VITEST_TEST_PATH);
      if (reason === 'interrupted' || !blamed.every((file) => typeof file === 'string')) return;
      const files = new Set([...failed.map(({ moduleId }) => moduleId), ...blamed]);
      writeFileSync(into, [...files].map((file) => `${relative('.', file)}\n`).join(''));
    },
  };
}
