import type { Figure, Scene } from './attack.ts';
import type { Lap, Responses } from './watch.ts';

const MIB = 2 ** 20;
/** The setting MAX_BODY_MEMORY_BYTES, MiB: its default, and the one of the short form. */
const BODY_MEMORY_MIB = { full: 256, short: 64 } as const;
/** A body and what is parsed of it. */
const COPIES = 2;
/** What the heap of a busy gateway grows by, whatever it is sent, MiB. */
const GARBAGE_MIB = 64;

/** Returns the setting for the full or the short form, bytes. */
export const bodyMemoryBytes = (isShort: boolean): number =>
  MIB * (isShort ? BODY_MEMORY_MIB.short : BODY_MEMORY_MIB.full);

/** How often something happened, and how often it may. */
export const times = (promise: string, found: number, max: number): Figure => ({
  ...{ promise, found, max },
  unit: 'times',
});

/** The gateway's memory during an attack. */
export const memoryFigure = (
  { idleMib, scale }: Scene,
  what: string,
  { maxMemoryMib }: Lap,
): Figure => ({
  promise: `memory of the gateway during ${what}`,
  found: maxMemoryMib,
  max: idleMib + GARBAGE_MIB + COPIES * scale(BODY_MEMORY_MIB.full, BODY_MEMORY_MIB.short),
  unit: 'MiB',
});

/** The longest response of `/livez` during an attack. */
export const responseFigure = (
  { maxLivezMillis }: Scene,
  what: string,
  { maxMillis, p99Millis }: Responses,
): Figure => ({
  promise: `/livez during ${what} (p99 ${p99Millis} ms)`,
  found: maxMillis,
  max: maxLivezMillis,
  unit: 'ms',
});
