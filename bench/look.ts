import { performance } from 'node:perf_hooks';
import { Command } from 'commander';
import { computeTargets } from '../src/look/comfort/signed-targets.ts';
import { readSigningKeys } from '../src/look/digest.ts';
import { computeOutfits } from '../src/look/outfits.ts';
import { PARAMS, readModel } from '../src/look/params.ts';
import { TargetsRequest } from '../src/look/schema.ts';
import { OutfitsRequest } from '../src/look/wardrobe/wardrobe-request.ts';
import type { WardrobeItem } from '../src/taxonomy/attributes/wardrobe-item-schema.ts';
import { createRandom, drawDay, drawWardrobe } from '../test/look/wardrobes.ts';

const model = readModel(PARAMS);
const keys = readSigningKeys('bench:a-key-for-the-benchmark-that-guards-nothing');

const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
};
const round = (value: number): number => Number(value.toFixed(2));

/** Transformations of a wardrobe that make the search easy or hard. */
const KINDS: Readonly<Record<string, (items: WardrobeItem[]) => WardrobeItem[]>> = {
  typical: (items) => items,
  'all equal': (items) =>
    items.map(({ id }, i) => ({
      id,
      category: ['t_shirt', 'jeans', 'sneakers', 'parka', 'hoodie'][i % 5] ?? 't_shirt',
    })),
  'one colour': (items) =>
    items.map((item) => ({ ...item, colors: [{ hex: '#1b2a4a' }], pattern: 'solid' })),
  'no data': (items) => items.map(({ id, category }) => ({ id, category })),
};

interface Row {
  wardrobe: string;
  items: number;
  plan: string;
  p50Ms: number;
  p95Ms: number;
  /** CPU time: less affected by other processes than wall time. */
  cpuP50Ms: number;
  cpuP95Ms: number;
  provedPct: number;
  /** Mean gap over all responses, points. */
  meanGap: number;
}

function measure(kind: string, size: number, plan: 'indoor' | 'outdoor', rounds: number): Row {
  const times: number[] = [];
  const cpuTimes: number[] = [];
  let proved = 0;
  let gaps = 0;
  for (let seed = 0; seed < rounds; seed++) {
    const random = createRandom(1000 * size + seed);
    const items = KINDS[kind]?.(drawWardrobe(random, size)) ?? [];
    const request = OutfitsRequest.parse({ ...drawDay(random), plan, items });
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    const response = computeOutfits(model, keys, request);
    times.push(performance.now() - startedAt);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpuTimes.push((user + system) / 1000);
    if (!response.truncated) proved += 1;
    gaps += response.gap;
  }
  return {
    wardrobe: kind,
    items: size,
    plan,
    p50Ms: round(quantile(times, 0.5)),
    p95Ms: round(quantile(times, 0.95)),
    cpuP50Ms: round(quantile(cpuTimes, 0.5)),
    cpuP95Ms: round(quantile(cpuTimes, 0.95)),
    provedPct: round((100 * proved) / rounds),
    meanGap: round(gaps / rounds),
  };
}

function measureTargets(rounds: number): number {
  const requests = Array.from({ length: 200 }, (_, seed) =>
    TargetsRequest.parse(drawDay(createRandom(seed))),
  );
  const startedAt = performance.now();
  for (let i = 0; i < rounds; i++) computeTargets(model, keys, requests[i % requests.length]!);
  return ((performance.now() - startedAt) * 1000) / rounds;
}

/** Prints µs per request for targets and ms per request for outfits. */
export async function run(argv: string[]): Promise<void> {
  const program = new Command('look')
    .description('The outfit engine in process, without validation of the body')
    .option('--rounds <n>', 'wardrobes of each kind and size', '40')
    .option('--json', 'one JSON document', false);
  program.parse(argv, { from: 'user' });
  const { rounds, json } = program.opts<{ rounds: string; json: boolean }>();
  measureTargets(2_000);
  const targetsMicros = round(measureTargets(20_000));
  measure('typical', 100, 'outdoor', 20);
  const rows = (['indoor', 'outdoor'] as const).flatMap((plan) => [
    ...[10, 50, 200, 500, 1000].map((size) => measure('typical', size, plan, Number(rounds))),
    ...Object.keys(KINDS)
      .filter((kind) => kind !== 'typical')
      .flatMap((kind) => [200, 1000].map((size) => measure(kind, size, plan, Number(rounds)))),
  ]);
  if (json) {
    console.log(JSON.stringify({ targetsMicros, outfits: rows }));
    return;
  }
  console.log(`targets, signed: ${targetsMicros} µs per request`);
  console.table(rows);
}
