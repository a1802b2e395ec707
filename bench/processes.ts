import { readdirSync, readFileSync } from 'node:fs';

/** A tick of /proc/PID/stat. */
const TICK_MILLIS = 10;

/** Returns the CPU time of a process so far, user and system, ms. */
export function cpuMillisOf(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '';
  const [user, system] = afterName.split(' ').slice(11, 13);
  return TICK_MILLIS * (Number(user) + Number(system));
}

/** Returns the result of some work, and the CPU time that processes spent meanwhile, ms. */
export async function withCpuMillis<T>(
  pids: readonly number[],
  work: () => Promise<T>,
): Promise<{ result: T; cpuMillis: number }> {
  const spent = () => pids.map(cpuMillisOf).reduce((a, b) => a + b, 0);
  const before = spent();
  const result = await work();
  return { result, cpuMillis: spent() - before };
}

const statusBytes = (pid: number, field: 'VmRSS' | 'VmHWM'): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return 1024 * Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]);
};

/** Returns the peak resident memory of a process, bytes. */
export const peakBytesOf = (pid: number): number => statusBytes(pid, 'VmHWM');

/** Returns the resident memory of a process, bytes. */
export const residentBytesOf = (pid: number): number => statusBytes(pid, 'VmRSS');

/**
 * Returns the proportional memory of a process, bytes: a page that several processes share counts in equal parts for
 * each. Undefined if the kernel does not tell: before Linux 4.14, of another user's process, or of one that has ended.
 */
export function proportionalBytesOf(pid: number): number | undefined {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return 1024 * Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]);
  } catch {
    return undefined;
  }
}

/** Memory of several processes together, bytes. */
export interface MemoryUse {
  /** A page that they share counts once for each of them. */
  residentBytes: number;
  /** A page that they share counts once; undefined if it cannot be read of one of them. */
  proportionalBytes: number | undefined;
}

/** Returns the memory of some processes. */
export const memoryOf = (pids: readonly number[]): MemoryUse => ({
  residentBytes: pids.map(residentBytesOf).reduce((a, b) => a + b, 0),
  proportionalBytes: pids
    .map(proportionalBytesOf)
    .reduce((a, b) => (a === undefined || b === undefined ? undefined : a + b), 0),
});

/** Returns a process and all its descendants. */
export const treeOf = (pid: number): number[] => [
  pid,
  ...readdirSync(`/proc/${pid}/task`)
    .flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    )
    .flatMap((child) => treeOf(Number(child))),
];

/** Returns the resident memory of a process and all its descendants, bytes. */
export const treeResidentBytes = (root: number): number =>
  treeOf(root)
    .map(residentBytesOf)
    .reduce((a, b) => a + b, 0);
