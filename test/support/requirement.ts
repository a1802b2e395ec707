import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Something some tests need and not every machine has. */
export type Requirement =
  | 's3'
  | 'chromium'
  | 'kubectl'
  | 'promtool'
  | 'mount'
  | 'network-namespaces'
  | 'two-devices'
  | 'linux'
  | 'history'
  | 'no-gpu'
  | 'n8n'
  | `program:${string}`
  | `python:${string}`;

/**
 * Reports why tests are skipped.
 * @throws Error under `CI=true`, unless `.ci/run` names the requirement in `SELVAGE_CI_MISSING`: a list, separated by
 *   commas, of what it cannot provide and has said so
 */
export function reportMissing(requirement: Requirement, why: string, env = process.env): void {
  const excused = (env.SELVAGE_CI_MISSING ?? '').split(',');
  if (env.CI === 'true' && !excused.includes(requirement)) {
    throw new Error(
      `Under CI=true these tests must run, but ${why}. ` +
        `Install it in .ci/run, or have it name "${requirement}" in SELVAGE_CI_MISSING with the reason.`,
    );
  }
  console.info(`Tests are skipped: ${why}`);
}

/**
 * Returns whether to skip the tests that need something, which is the case if it is not present.
 * @throws Error as `reportMissing` does
 */
export function isMissing(requirement: Requirement, isPresent: boolean, why: string): boolean {
  if (!isPresent) reportMissing(requirement, why);
  return !isPresent;
}

/** Returns whether a program is on PATH. */
export const isOnPath = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
