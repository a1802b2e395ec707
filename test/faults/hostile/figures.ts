import type { Figure, Scene } from './attack.ts';
import type { Lap, Responses } from './watch.ts';

const MIB = 2 ** 20;
/** The setting MAX_BODY_MEMORY_BYTES, MiB: its default, and the one of the short form. */
const BODY_MEMORY_MIB = { full: 256, short: 64 } as const;
/** What a gateway needs beyond the bodies in flight: copies while they are parsed, and garbage. */
const MEMORY_FACTOR = 1.5;

/** Returns the setting for the full or the short form, bytes. */
export const bodyMemoryBytes = (isShort: boolean): number =>
  MIB * (isShort ? BODY_MEMORY_MIB.short : BODY_MEMORY_MIB.full);

/** The gateway's memory during an attack. */
export const memoryFigure = (
  { idleMib, scale }: Scene,
  what: string,
  { maxMemoryMib }: Lap,
): Figure => ({
  promise: `memory of the gateway during ${what}`,
  found: maxMemoryMib,
  max: Math.round(idleMib + MEMORY_FACTOR * scale(BODY_MEMORY_MIB.full, BODY_MEMORY_MIB.short)),
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
