import { readFileSync } from 'node:fs';
import { treeOf } from '../processes.ts';
import { quantile } from './quantile.ts';

const EVERY_MILLIS = 1000;

/** What a process and all it started hold in memory now, bytes. */
const residentBytes = (root: number): number =>
  treeOf(root)
    .map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'))
    .reduce((all, status) => all + 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]), 0);

/** The middle of the second fifth of readings, and of the last: the first fifth warms every cache there is. */
export interface Growth {
  earlyBytes: number;
  lateBytes: number;
}

export function growthOf(readings: readonly number[]): Growth {
  const fifth = (n: number) =>
    readings.slice((n * readings.length) / 5, ((n + 1) * readings.length) / 5);
  return { earlyBytes: quantile(fifth(1), 0.5), lateBytes: quantile(fifth(4), 0.5) };
}

/** Watches processes until it is stopped, which gives how each has grown. */
export function watchMemory(roots: Readonly<Record<string, number>>): () => Record<string, Growth> {
  const readings = new Map(Object.keys(roots).map((name) => [name, [] as number[]]));
  const timer = setInterval(() => {
    for (const [name, root] of Object.entries(roots)) readings.get(name)?.push(residentBytes(root));
  }, EVERY_MILLIS);
  return () => {
    clearInterval(timer);
    return Object.fromEntries([...readings].map(([name, all]) => [name, growthOf(all)]));
  };
}
