import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Stack } from './stack.ts';

/** A file of /proc; empty for a process that has ended. */
export function proc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}

/** The child processes of a process. */
const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    proc(`${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  );

/** The inference children of a stack's worker. */
export const inferenceChildren = (stack: Stack): number[] =>
  childrenOf(stack.worker.pid).filter((pid) =>
    /workers.(inference|engine).child/.test(proc(`${pid}/cmdline`)),
  );

export const signalAll = (pids: readonly number[], signal: NodeJS.Signals): void => {
  for (const pid of pids) process.kill(pid, signal);
};

/** Stops the inference children with SIGSTOP until `during` ends, so work cannot finish meanwhile. */
export async function whileFrozen<T>(stack: Stack, during: () => Promise<T>): Promise<T> {
  const pids = inferenceChildren(stack);
  expect(pids.length).toBeGreaterThan(0);
  signalAll(pids, 'SIGSTOP');
  try {
    return await during();
  } finally {
    for (const pid of pids) {
      if (/workers.(inference|engine).child/.test(proc(`${pid}/cmdline`)))
        process.kill(pid, 'SIGCONT');
    }
  }
}
