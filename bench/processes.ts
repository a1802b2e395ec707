import { readdirSync, readFileSync } from 'node:fs';

/** A tick of /proc/PID/stat. */
const TICK_MILLIS = 10;

/** CPU time of a process so far, user and kernel, ms. */
export function cpuMillisOf(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '';
  const [user, system] = afterName.split(' ').slice(11, 13);
  return TICK_MILLIS * (Number(user) + Number(system));
}

/** The most memory a process ever had resident, bytes. */
export const peakBytesOf = (pid: number): number =>
  1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** A process and all it started, and what those started. */
export const treeOf = (pid: number): number[] => [
  pid,
  ...readdirSync(`/proc/${pid}/task`)
    .flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    )
    .flatMap((child) => treeOf(Number(child))),
];
