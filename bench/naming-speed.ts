import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { classifyText } from '../src/taxonomy/text/classify-text.ts';
import { PARTS, readLabelledRows } from './titles.ts';

const MICROS = 1e6;

const cpuSeconds = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / MICROS;
};

/** Returns how often work is done per CPU second, after a warm-up of the same length. */
export function perCpuSecond(seconds: number, work: () => number): number {
  const run = (limit: number) => {
    const start = process.cpuUsage();
    let done = 0;
    while (cpuSeconds(start) < limit) done += work();
    return done / cpuSeconds(start);
  };
  run(seconds);
  return run(seconds);
}

/** As many directories below the repository as src/taxonomy/tables.ts, so that it finds its data. */
const COMPILED_NAMING = join('dist', 'bench', 'naming.mjs');

/** The naming as programs run it: what loads a benchmark's sources adds calls to every inner function. */
async function compiledNaming(): Promise<typeof classifyText> {
  await build({
    entryPoints: ['src/taxonomy/text/classify-text.ts'],
    outfile: COMPILED_NAMING,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  const compiled: { classifyText: typeof classifyText } = await import(
    pathToFileURL(COMPILED_NAMING).href
  );
  return compiled.classifyText;
}

/** Titles of shops classified per CPU second; undefined if `shared` has none. */
export async function titlesPerSecond(
  seconds: number,
  shared: string,
): Promise<number | undefined> {
  const rows = PARTS.flatMap((part) => readLabelledRows(shared, part)).map(({ row }) => row);
  if (rows.length === 0) return undefined;
  const name = await compiledNaming();
  return Math.round(perCpuSecond(seconds, () => rows.map((row) => name(row)).length));
}
