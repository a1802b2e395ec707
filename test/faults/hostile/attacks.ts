import { anonymousMemory } from './anonymous-memory.ts';
import type { Attack } from './attack.ts';
import { connections } from './connections.ts';
import { eventLoop } from './event-loop.ts';
import { flood, manyJobs } from './fairness.ts';
import { signIn } from './sign-in.ts';
import { SLOW_SOURCES } from './slow-sources.ts';
import { storage } from './storage.ts';

/** Every attack, in the order in which they are played. */
export const ATTACKS: readonly Attack[] = [
  anonymousMemory,
  eventLoop,
  ...SLOW_SOURCES,
  storage,
  manyJobs,
  flood,
  signIn,
  connections,
];
