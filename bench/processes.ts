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
