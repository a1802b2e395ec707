import { describe, expect, test } from 'vitest';
import { adviceOn, exitCodeOf, faultText } from '../../src/cli/terminal/error-report.ts';
import { EXIT, EXIT_HELP } from '../../src/cli/terminal/exit.ts';
import { CLIENT_PROBLEMS, SelvageError } from '../../src/client/error.ts';
import { PROBLEMS, Problem, type ProblemType } from '../../src/platform/problem.ts';

const TYPES = Object.keys(PROBLEMS) as ProblemType[];

describe('every problem is explained in one plain sentence', () => {
  test.each([...TYPES, ...Object.keys(CLIENT_PROBLEMS)])('%s', (type) => {
    const advice = adviceOn(type) ?? '';
    expect(advice).toMatch(/^[A-Z"].{15,140}\.$/);
    expect(advice.match(/[.!?] [A-Z]/)).toBeNull();
    const error = new SelvageError({ type, title: 'T', detail: 'What is wrong', requestId: 'r-1' });
    expect(faultText(error)).toBe(`What is wrong. ${advice} (${type}, request r-1)`);
  });

  test('a type that is younger than the command is told without advice', () => {
    const error = new SelvageError({ type: 'tea-time', title: 'T', detail: 'Come back later.' });
    expect(faultText(error)).toBe('Come back later. (tea-time)');
  });

  test('several faults of a request are all told', () => {
    const errors = [
      { pointer: '/a', detail: 'is missing' },
      { pointer: '/b', detail: 'is too long' },
    ];
    expect(faultText(new Problem('invalid-request', 'Two faults', { errors }))).toBe(
      'Two faults. /a is missing; /b is too long. Mend what is named here, and try again. (invalid-request)',
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
])('%o ends with %i', (facts, code) => {
  expect(exitCodeOf(new SelvageError({ ...facts, title: 'T', detail: 'D' }))).toBe(code);
});

test('the help names every exit code', () => {
  for (const code of Object.values(EXIT))
    expect(EXIT_HELP).toMatch(new RegExp(`^ {2}${code} `, 'm'));
});
