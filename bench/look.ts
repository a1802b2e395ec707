import { performance } from 'node:perf_hooks';
import { Command } from 'commander';
import { computeTargets } from '../src/look/comfort/signed-targets.ts';
import { readSigningKeys } from '../src/look/digest.ts';
import { computeOutfits } from '../src/look/outfits.ts';
import { PARAMS, readModel } from '../src/look/params.ts';
import { TargetsRequest } from '../src/look/schema.ts';
import { computeTrip, TripRequest } from '../src/look/trips/trip.ts';
import { OutfitsRequest } from '../src/look/wardrobe/wardrobe-request.ts';
import type { WardrobeItem } from '../src/taxonomy/attributes/wardrobe-item-schema.ts';
import { createRandom, drawDay, drawWardrobe } from '../test/look/wardrobes.ts';
import { quantile } from './statistics.ts';

const model = readModel(PARAMS);
const keys = readSigningKeys('bench:a-key-for-the-benchmark-that-guards-nothing');

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
  cpuMaxMs: number;
  provedPct: number;
  /** Mean gap over all responses, points. */
  meanGap: number;
}

/** What a row computes for the wardrobe of a seed. */
type Compute = (seed: number) => { gap: number; truncated?: boolean };

function measure(row: Pick<Row, 'wardrobe' | 'items' | 'plan'>, rounds: number, compute: Compute) {
  const times: number[] = [];
  const cpuTimes: number[] = [];
  let proved = 0;
  let gaps = 0;
  for (let seed = 0; seed < rounds; seed++) {
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    const { gap, truncated = gap > 0 } = compute(seed);
    times.push(performance.now() - startedAt);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpuTimes.push((user + system) / 1000);
    if (!truncated) proved += 1;
    gaps += gap;
  }
  return {
    ...row,
    p50Ms: round(quantile(times, 0.5)),
    p95Ms: round(quantile(times, 0.95)),
    cpuP50Ms: round(quantile(cpuTimes, 0.5)),
    cpuP95Ms: round(quantile(cpuTimes, 0.95)),
    cpuMaxMs: round(Math.max(...cpuTimes)),
    provedPct: round((100 * proved) / rounds),
    meanGap: round(gaps / rounds),
  };
}

type Plan = 'indoor' | 'outdoor';

/** The same wardrobe and day for a seed in every row of a size. */
function drawBody(kind: string, size: number, seed: number) {
  const random = createRandom(1000 * size + seed);
  const items = KINDS[kind]?.(drawWardrobe(random, size)) ?? [];
  return { items, ...drawDay(random) };
}

/** Outfits of a wardrobe; with `pinned`, so many items of its best outfit are kept. */
function measureOutfits(
  kind: string,
  size: number,
  plan: Plan,
  rounds: number,
  { pinned = 0, ...fields }: { pinned?: number; variety?: number } = {},
): Row {
  const requests = Array.from({ length: rounds }, (_, seed) => {
    const body = { ...drawBody(kind, size, seed), plan, ...fields };
    if (pinned === 0) return OutfitsRequest.parse(body);
    const [best] = computeOutfits(model, keys, OutfitsRequest.parse({ ...body, limit: 1 })).outfits;
    return OutfitsRequest.parse({ ...body, pin: best?.itemIds.slice(0, pinned) });
  });
  const suffix = pinned > 0 ? `, ${pinned} pinned` : fields.variety ? ', varied' : '';
  return measure({ wardrobe: kind + suffix, items: size, plan }, rounds, (seed) =>
    computeOutfits(model, keys, requests[seed]!),
  );
}

const TRIP_DAYS = 7;

/** Trips of a week, each day with weather of its own. */
function measureTrips(size: number, rounds: number): Row {
  const requests = Array.from({ length: rounds }, (_, seed) => {
    const random = createRandom(1000 * size + seed);
    const items = drawWardrobe(random, size);
    const days = Array.from({ length: TRIP_DAYS }, (_, at) => ({
      date: `2026-11-0${at + 1}`,
      ...drawDay(random),
    }));
    return TripRequest.parse({ days, items, maxItems: 12, wearsBeforeWash: 2 });
  });
  return measure({ wardrobe: 'trip of 7 days', items: size, plan: 'outdoor' }, rounds, (seed) =>
    computeTrip(model, requests[seed]!),
  );
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
  measureOutfits('typical', 100, 'outdoor', 20);
  const count = Number(rounds);
  const plans = ['indoor', 'outdoor'] as const;
  const rows = [
    ...plans.flatMap((plan) => [
      ...[10, 50, 200, 500, 1000].map((size) => measureOutfits('typical', size, plan, count)),
      measureOutfits('typical', 1000, plan, count, { pinned: 1 }),
      measureOutfits('typical', 1000, plan, count, { pinned: 2 }),
      measureOutfits('typical', 1000, plan, count, { variety: 5 }),
      ...Object.keys(KINDS)
        .filter((kind) => kind !== 'typical')
        .flatMap((kind) => [200, 1000].map((size) => measureOutfits(kind, size, plan, count))),
    ]),
    measureTrips(60, count),
  ];
  if (json) {
    console.log(JSON.stringify({ targetsMicros, outfits: rows }));
    return;
  }
  console.log(`targets, signed: ${targetsMicros} µs per request`);
  console.table(rows);
}
