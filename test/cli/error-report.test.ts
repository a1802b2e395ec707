import { describe, expect, test } from 'vitest';
import { CLIENT_PROBLEMS, SelvageError } from '../../packages/client/src/error.ts';
import { adviceFor, errorText, toExitCode } from '../../src/cli/terminal/error-report.ts';
import { EXIT, EXIT_HELP } from '../../src/cli/terminal/output.ts';
import { PROBLEMS, Problem, type ProblemType } from '../../src/platform/problem.ts';

const TYPES = Object.keys(PROBLEMS) as ProblemType[];

describe('every problem has advice in one sentence', () => {
  test.each([...TYPES, ...Object.keys(CLIENT_PROBLEMS)])('%s', (type) => {
    const advice = adviceFor(type) ?? '';
    expect(advice).toMatch(/^[A-Z"].{15,140}\.$/);
    expect(advice.match(/[.!?] [A-Z]/)).toBeNull();
    const error = new SelvageError({ type, title: 'T', detail: 'What is wrong', requestId: 'r-1' });
    expect(errorText(error)).toBe(`What is wrong. ${advice} (${type}, request r-1)`);
  });

  test('an unknown type is reported without advice', () => {
    const error = new SelvageError({ type: 'tea-time', title: 'T', detail: 'Come back later.' });
    expect(errorText(error)).toBe('Come back later. (tea-time)');
  });

  test('several errors of a request are all reported', () => {
    const errors = [
      { pointer: '/a', detail: 'is missing' },
      { pointer: '/b', detail: 'is too long' },
    ];
    expect(errorText(new Problem('invalid-request', 'Two errors', { errors }))).toBe(
      'Two errors. /a is missing; /b is too long. Fix the errors listed here, and try again. (invalid-request)',
    );
  });
});

test.each([
  [{ status: 401, type: 'unauthorized' }, EXIT.notAllowed],
  [{ status: 403, type: 'insufficient-scope' }, EXIT.notAllowed],
  [{ status: 0, type: 'key-refused' }, EXIT.notAllowed],
  [{ status: 429, type: 'quota-exceeded' }, EXIT.limited],
  [{ status: 429, type: 'rate-limit-exceeded' }, EXIT.limited],
  [{ status: 0, type: 'connection-failed' }, EXIT.unreachable],
  [{ status: 0, type: 'timeout' }, EXIT.unreachable],
  [{ status: 503, type: 'upstream-unavailable' }, EXIT.failed],
  [{ status: 415, type: 'unsupported-media-type' }, EXIT.failed],
])('%o exits with %i', (facts, code) => {
  expect(toExitCode(new SelvageError({ ...facts, title: 'T', detail: 'D' }))).toBe(code);
});

test('the help lists every exit code', () => {
  const codes = [...EXIT_HELP.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(EXIT));
});
