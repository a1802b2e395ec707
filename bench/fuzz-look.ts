import { Command } from 'commander';
import { dryHeat } from '../src/look/comfort/heat.ts';
import { type Situation, situationOf, unsignedTargets } from '../src/look/comfort/targets.ts';
import { PARAMS, readModel } from '../src/look/params.ts';
import { TargetsRequest } from '../src/look/schema.ts';
import { REGIONS } from '../src/taxonomy/dictionary/schema.ts';
import { outfitFaults } from '../test/look/outfit-laws.ts';
import { type Chance, createChance, drawDay } from '../test/look/wardrobes.ts';

const model = readModel(PARAMS);
const SLACK = 1e-9;

/** A request from anywhere in the accepted box. */
const drawRequest = (chance: Chance): TargetsRequest =>
  TargetsRequest.parse({
    ...drawDay(chance),
    weather: {
      tempC: chance.between(-60, 60),
      windMs: chance.between(0, 60),
      humidityPct: chance.between(0, 100),
      condition: drawDay(chance).weather.condition,
      isDay: chance.next() < 0.7,
    },
    met: chance.between(0.7, 7),
    cloOffset: chance.next() < 0.3 ? chance.between(-1, 1) : 0,
    userProfile: { offsetC: chance.next() < 0.5 ? chance.between(-5, 5) : 0 },
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

/** Changes after which nobody needs less outdoors. */
const NEVER_LESS: Readonly<Record<string, Change>> = {
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

/** What is wrong with the targets of a request, in words. */
function faultsOf(request: TargetsRequest, chance: Chance): string[] {
  const faults: string[] = [];
  const situation = situationOf(model, request);
  const { outdoor } = situation;
  const { iclRequired, regions } = outdoor;
  if (!(iclRequired >= 0.2 - SLACK && iclRequired <= model.k.icl.max + SLACK))
    faults.push('bounds');
  if (REGIONS.some((region) => !Number.isFinite(regions[region]) || regions[region] < 0))
    faults.push('regions');
  if (breaksIdentity(situation)) faults.push('identity');
  const targets = JSON.stringify(unsignedTargets(model, situation));
  if (JSON.stringify(unsignedTargets(model, situationOf(model, request))) !== targets)
    faults.push('not deterministic');
  if (JSON.stringify(JSON.parse(targets)) !== targets) faults.push('not plain JSON');
  const [name, change] = chance.pick(Object.entries(NEVER_LESS));
  const after = situationOf(model, change(request, chance.next())).outdoor;
  if (after.iclRequired < iclRequired - SLACK) faults.push(`${name}: total`);
  if (REGIONS.some((region) => after.regions[region] < regions[region] - SLACK))
    faults.push(`${name}: regions`);
  return faults;
}

/** Counts what went wrong, by kind, with the first request of each. */
function createReport() {
  const violations = new Map<string, { times: number; example: object }>();
  return {
    add(faults: readonly string[], example: object): void {
      for (const fault of faults) {
        const known = violations.get(fault);
        if (known) known.times += 1;
        else violations.set(fault, { times: 1, example });
      }
    },
    tell(what: string): void {
      console.log(`${what}: ${violations.size} kinds of violation`);
      for (const [fault, { times, example }] of violations)
        console.log(`${fault}: ${times} times, first ${JSON.stringify(example)}`);
      if (violations.size > 0) process.exitCode = 1;
    },
  };
}

function fuzzLook(requests: number, wardrobes: number, seed: number): void {
  const report = createReport();
  const chance = createChance(seed);
  for (let i = 0; i < requests; i++) {
    const request = drawRequest(chance);
    report.add(faultsOf(request, chance), request);
  }
  for (let i = 0; i < wardrobes; i++) {
    const { request, faults } = outfitFaults(model, createChance(seed + i));
    report.add(faults, request);
  }
  report.tell(`${requests} requests for targets, ${wardrobes} for outfits, seed ${seed}`);
}

/** Random requests against what must always hold of targets and outfits. */
export async function run(argv: string[]): Promise<void> {
  await new Command('fuzz look')
    .description('targets over the whole accepted box, and outfits of small wardrobes')
    .option('--requests <n>', 'how many', '100000')
    .option('--wardrobes <n>', 'how many ask for outfits', '300')
    .option('--seed <n>', 'the same seed draws the same requests', '1')
    .action(({ requests, wardrobes, seed }: Record<'requests' | 'wardrobes' | 'seed', string>) =>
      fuzzLook(Number(requests), Number(wardrobes), Number(seed)),
    )
    .parseAsync(argv, { from: 'user' });
}
