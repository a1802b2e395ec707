import { describe, expect, test } from 'vitest';
import { memoryOf, proportionalBytesOf, residentBytesOf } from '../../bench/processes.ts';

const NO_PROCESS = 2 ** 30;

describe('the memory of processes', () => {
  test('counts less for a process that shares pages than what is resident', () => {
    const proportional = proportionalBytesOf(process.pid);
    expect(proportional).toBeGreaterThan(2 ** 20);
    expect(proportional).toBeLessThan(residentBytesOf(process.pid));
  });

  test('is the sum of them', () => {
    const one = memoryOf([process.pid]);
    const twice = memoryOf([process.pid, process.pid]);
    expect(twice.residentBytes / one.residentBytes).toBeCloseTo(2, 0);
    expect((twice.proportionalBytes ?? 0) / (one.proportionalBytes ?? 1)).toBeCloseTo(2, 0);
  });

  test('is unknown, not zero, where the kernel does not tell the shared pages', () => {
    expect(proportionalBytesOf(NO_PROCESS)).toBeUndefined();
  });
});
