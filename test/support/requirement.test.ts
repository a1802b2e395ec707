import { expect, test } from 'vitest';
import { isMissing, isOnPath, reportMissing } from './requirement.ts';

test.each([
  { what: 'outside CI', env: {} },
  { what: 'if CI is not "true"', env: { CI: '1' } },
  { what: 'if .ci/run excuses it', env: { CI: 'true', SELVAGE_CI_MISSING: 'promtool,s3' } },
])('tests may be skipped $what', ({ env }) => {
  expect(() => reportMissing('s3', 'there is no S3 server', env)).not.toThrow();
});

test.each([
  { what: 'nothing is excused', env: { CI: 'true' } },
  { what: 'something else is excused', env: { CI: 'true', SELVAGE_CI_MISSING: 'promtool' } },
  { what: 'part of a name is excused', env: { CI: 'true', SELVAGE_CI_MISSING: 's' } },
])('in CI a missing requirement is an error if $what', ({ env }) => {
  expect(() => reportMissing('s3', 'there is no S3 server', env)).toThrow(
    /there is no S3 server.*"s3" in SELVAGE_CI_MISSING/,
  );
});

test('what is present is not missing', () => {
  expect(isMissing('s3', true, 'unused')).toBe(false);
});

test('programs are searched on PATH', () => {
  expect(isOnPath('node')).toBe(true);
  expect(isOnPath('no-such-program')).toBe(false);
});
