import { treeResidentBytes } from '../processes.ts';
import { median } from '../statistics.ts';

const SAMPLE_MILLIS = 1000;

/** Medians of the second fifth of the samples and of the last: caches fill during the first fifth. */
export interface Growth {
  earlyBytes: number;
  lateBytes: number;
}

export function growthOf(samples: readonly number[]): Growth {
  const fifth = (n: number) =>
    samples.slice((n * samples.length) / 5, ((n + 1) * samples.length) / 5);
  return { earlyBytes: median(fifth(1)), lateBytes: median(fifth(4)) };
}

/** Samples the memory of process trees; the function it returns stops that and returns their growth. */
export function watchMemory(roots: Readonly<Record<string, number>>): () => Record<string, Growth> {
  const samples = new Map(Object.keys(roots).map((name) => [name, [] as number[]]));
  const timer = setInterval(() => {
    for (const [name, root] of Object.entries(roots))
      samples.get(name)?.push(treeResidentBytes(root));
  }, SAMPLE_MILLIS);
  return () => {
    clearInterval(timer);
    return Object.fromEntries([...samples].map(([name, all]) => [name, growthOf(all)]));
  };
}
