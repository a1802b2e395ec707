import { readdir, readFile } from 'node:fs/promises';

/** The parent of every running process. */
async function parents(): Promise<Map<number, number>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const pairs = await Promise.all(
    pids.map(async (pid): Promise<[number, number]> => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      return [Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])];
    }),
  );
  return new Map(pairs);
}

/** Returns the descendants of a process. */
export async function descendantsOf(ancestor: number): Promise<number[]> {
  const parentOf = await parents();
  const isOne = (pid: number | undefined): boolean =>
    pid !== undefined && (parentOf.get(pid) === ancestor || isOne(parentOf.get(pid)));
  return [...parentOf.keys()].filter(isOne);
}

/** Kills the remaining descendants of this process, which were started during the shutdown. */
export async function endDescendants(): Promise<void> {
  for (;;) {
    const left = await descendantsOf(process.pid);
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}
