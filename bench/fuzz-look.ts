import { Command } from 'commander';
import { dryHeat } from '../src/look/comfort/heat.ts';
import { type Situation, situationOf, unsignedTargets } from '../src/look/comfort/targets.ts';
import { PARAMS, readModel } from '../src/look/params.ts';
import { TargetsRequest } from '../src/look/schema.ts';
import { REGIONS } from '../src/taxonomy/dictionary/schema.ts';
import { outfitViolations } from '../test/look/outfit-properties.ts';
import { createRandom, drawDay, type Random } from '../test/look/wardrobes.ts';

const model = readModel(PARAMS);
const SLACK = 1e-9;

/** A random request from the whole range of inputs. */
const drawRequest = (random: Random): TargetsRequest =>
  TargetsRequest.parse({
    ...drawDay(random),
    weather: {
      tempC: random.between(-60, 60),
      windMs: random.between(0, 60),
      humidityPct: random.between(0, 100),
      condition: drawDay(random).weather.condition,
      isDay: random.next() < 0.7,
    },
    met: random.between(0.7, 7),
    cloOffset: random.next() < 0.3 ? random.between(-1, 1) : 0,
    userProfile: { offsetC: random.next() < 0.5 ? random.between(-5, 5) : 0 },
  });

type Change = (request: TargetsRequest, by: number) => TargetsRequest;

const withWeather =
  (
    change: (weather: TargetsRequest['weather'], by: number) => Partial<TargetsRequest['weather']>,
  ): Change =>
  (request, by) => ({
    ...request,
    weather: { ...request.weather, ...change(request.weather, by) },
  });

/** Changes that never lower the need outdoors. */
const RAISING_CHANGES: Readonly<Record<string, Change>> = {
  colder: withWeather(({ tempC }, by) => ({ tempC: Math.max(-60, tempC - 20 * by) })),
  windier: withWeather(({ windMs }, by) => ({ windMs: Math.min(60, windMs + 20 * by) })),
  drier: withWeather(({ humidityPct }, by) => ({ humidityPct: humidityPct * (1 - by) })),
  'less sun': withWeather(() => ({ isDay: false })),
  'less active': (request, by) => ({ ...request, met: Math.max(0.7, request.met * (1 - by)) }),
  'feels colder': ({ userProfile, ...request }, by) => ({
    ...request,
    userProfile: { offsetC: Math.min(6, (userProfile?.offsetC ?? 0) + 5 * by) },
  }),
  'wants more': (request, by) => ({
    ...request,
    cloOffset: Math.min(1.5, (request.cloOffset ?? 0) + by),
  }),
};

/** The identity a client can check: iclResultant + iA/fcl = (tSk - tOp)/(clo * hEff). */
function breaksIdentity({ outdoor }: Situation): boolean {
  const { climate, iclResultant: icl } = outdoor;
  if (icl <= 0 || icl >= model.k.icl.solveMax) return false;
  const left = icl + climate.iA / (1 + model.k.surface.perClo * icl);
  const right = (climate.skinC - climate.operativeC) / (model.k.unit.cloSi * dryHeat(climate, icl));
  return Math.abs(left - right) > 1e-6;
}

/** Violations of the properties of targets. */
function targetViolations(request: TargetsRequest, random: Random): string[] {
  const violations: string[] = [];
  const situation = situationOf(model, request);
  const { outdoor } = situation;
  const { iclRequired, regions } = outdoor;
  if (!(iclRequired >= 0.2 - SLACK && iclRequired <= model.k.icl.max + SLACK))
    violations.push('bounds');
  if (REGIONS.some((region) => !Number.isFinite(regions[region]) || regions[region] < 0))
    violations.push('regions');
  if (breaksIdentity(situation)) violations.push('identity');
  const targets = JSON.stringify(unsignedTargets(model, situation));
  if (JSON.stringify(unsignedTargets(model, situationOf(model, request))) !== targets)
    violations.push('not deterministic');
  if (JSON.stringify(JSON.parse(targets)) !== targets) violations.push('not plain JSON');
  const [name, change] = random.pick(Object.entries(RAISING_CHANGES));
  const after = situationOf(model, change(request, random.next())).outdoor;
  if (after.iclRequired < iclRequired - SLACK) violations.push(`${name}: total`);
  if (REGIONS.some((region) => after.regions[region] < regions[region] - SLACK))
    violations.push(`${name}: regions`);
  return violations;
}

/** Counts violations by kind, with the first request of each. */
function createReport() {
  const byKind = new Map<string, { times: number; example: object }>();
  return {
    add(violations: readonly string[], example: object): void {
      for (const violation of violations) {
        const previous = byKind.get(violation);
        if (previous) previous.times += 1;
        else byKind.set(violation, { times: 1, example });
      }
    },
    print(what: string): void {
      console.log(`${what}: ${byKind.size} kinds of violation`);
      for (const [violation, { times, example }] of byKind)
        console.log(`${violation}: ${times} times, first ${JSON.stringify(example)}`);
      if (byKind.size > 0) process.exitCode = 1;
    },
  };
}

interface Options {
  requests: number;
  wardrobes: number;
  items: number;
  seed: number;
  progress: number;
}

function fuzzLook({ requests, wardrobes, items, seed, progress }: Options): void {
  const report = createReport();
  const random = createRandom(seed);
  for (let i = 0; i < requests; i++) {
    const request = drawRequest(random);
    report.add(targetViolations(request, random), request);
  }
  let ofWardrobes = 0;
  for (let i = 0; i < wardrobes; i++) {
    const found = outfitViolations(model, createRandom(seed + i), items);
    ofWardrobes += found.requests;
    report.add(found.violations, { seed: seed + i, request: found.request });
    if (progress > 0 && (i + 1) % progress === 0)
      report.print(`${i + 1} wardrobes, ${ofWardrobes} requests`);
  }
  report.print(
    `${requests} requests for targets, ${ofWardrobes} about ${wardrobes} wardrobes, seed ${seed}`,
  );
}

/** Checks random requests against the properties of targets and outfits. */
export async function run(argv: string[]): Promise<void> {
  await new Command('fuzz look')
    .description('checks targets over the whole range of inputs, and outfits of small wardrobes')
    .option('--requests <n>', 'number of requests for targets', Number, 100_000)
    .option('--wardrobes <n>', 'number of wardrobes, some 18 requests each', Number, 300)
    .option('--items <n>', 'largest number of items in a wardrobe', Number, 29)
    .option('--seed <n>', 'the same seed gives the same requests', Number, 1)
    .option('--progress <n>', 'reports after so many wardrobes; 0 for never', Number, 0)
    .action((options: Options) => fuzzLook(options))
    .parseAsync(argv, { from: 'user' });
}
