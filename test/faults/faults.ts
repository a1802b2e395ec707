import { CLOCK_FAULTS } from './clock-faults.ts';
import type { Fault } from './fault.ts';
import { KILL_POINTS } from './kill-points.ts';
import { PROCESS_FAULTS } from './process-faults.ts';
import { REDIS_FAULTS } from './redis-faults.ts';
import { STORE_FAULTS } from './store-faults.ts';

export type { Fault } from './fault.ts';

/** All faults, in no particular order. */
export const FAULTS: readonly Fault[] = [
  ...PROCESS_FAULTS,
  ...REDIS_FAULTS,
  ...CLOCK_FAULTS,
  ...STORE_FAULTS,
  ...KILL_POINTS,
];
