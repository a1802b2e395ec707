import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibrate } from '../../src/look/calibration/calibrate.ts';
import { CalibrateRequest, type Feedback } from '../../src/look/calibration/calibrate-schema.ts';
import { settingOf, thermalOf } from '../../src/look/comfort/comfort.ts';
import { situationOf } from '../../src/look/comfort/targets.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import type { UserProfile } from '../../src/look/schema.ts';
import { Problem } from '../../src/platform/problem.ts';
import { seeded } from './laws.ts';

const model = readModel(PARAMS);
const OUTDOORS = { tempC: 2, windMs: 4, humidityPct: 70, condition: 'cloudy' } as const;

const felt = (vote: number, more: Partial<Feedback> = {}): Feedback => ({
  vote,
  weather: OUTDOORS,
  met: 2,
  plan: 'outdoor',
  worn: { icl: 1.72, windResistance: 0.9 },
  ...more,
});
const offsetAfter = (votes: readonly Feedback[], userProfile?: UserProfile): number =>
  calibrate(model, { userProfile, feedback: [...votes] }).summary.offsetC;

test('a vote of cool in a parka at 2 °C is foreseen as −0.8 and moves the offset by 0.9 K', () => {
  const { userProfile, applied, summary } = calibrate(model, { feedback: [felt(-2)] });
  expect(applied[0]?.predictedVote).toBeCloseTo(-0.79, 1);
  expect(summary.offsetC).toBeCloseTo(0.93, 1);
  expect(summary.offsetSd).toBeCloseTo(2.39, 1);
  expect(summary.n).toBe(1);
  expect(userProfile.thermalProfile).toBe('neutral');
  const six = calibrate(model, { feedback: [-2, -2, -2, -1, -2, -1].map((v) => felt(v)) });
  expect(six.userProfile.thermalProfile).toBe('runs-very-cold');
});

describe('the profile', () => {
  const given = {
    nickname: 'Ada',
    sensitivity: 1.2,
    coldHands: true,
    learning: { n: 7, variance: 3, model: 'other/2', site: 'x' },
  };

  test('comes back with every field it came with, and is not changed itself', () => {
    const before = structuredClone(given);
    const { userProfile } = calibrate(model, { userProfile: given, feedback: [felt(-1)] });
    expect(given).toEqual(before);
    expect(userProfile).toMatchObject({ nickname: 'Ada', sensitivity: 1.2, coldHands: true });
    expect(userProfile.learning).toMatchObject({ n: 8, site: 'x', model: 'kalman-t/1' });
  });

  test('is taken by the next request as it came', () => {
    const { userProfile } = calibrate(model, {
      userProfile: given,
      feedback: [felt(-1, { regionVotes: { hands: -3, feet: 1 } })],
    });
    const again = CalibrateRequest.parse({ userProfile, feedback: [felt(0)] });
    expect(again.userProfile).toEqual(userProfile);
  });

  test('starts from its label where it has no offset', () => {
    const profile: UserProfile = { thermalProfile: 'runs-cold' };
    expect(calibrate(model, { userProfile: profile, feedback: [felt(-1)] }).applied[0]).toEqual(
      calibrate(model, { userProfile: { offsetC: 1.5 }, feedback: [felt(-1)] }).applied[0],
    );
  });
});

const vote = fc.integer({ min: -3, max: 3 });
const feedback = fc
  .record({
    vote,
    tempC: fc.integer({ min: -25, max: 38 }),
    met: fc.integer({ min: 10, max: 40 }),
    icl: fc.integer({ min: 30, max: 300 }),
    plan: fc.constantFrom('indoor' as const, 'outdoor' as const),
  })
  .map(
    ({ vote, tempC, met, icl, plan }): Feedback => ({
      vote,
      weather: { ...OUTDOORS, tempC },
      met: met / 10,
      plan,
      worn: { icl: icl / 100 },
    }),
  );

describe('what is learned', () => {
  test('is the same in one call as in two', () => {
    fc.assert(
      fc.property(fc.array(feedback, { minLength: 2, maxLength: 6 }), (votes) => {
        const [first, ...rest] = votes;
        const once = calibrate(model, { feedback: votes }).userProfile;
        const { userProfile } = calibrate(model, { feedback: [first!] });
        expect(calibrate(model, { userProfile, feedback: rest }).userProfile).toEqual(once);
      }),
    );
  });

  test('is colder after a vote colder than foreseen, and warmer after a warmer one', () => {
    fc.assert(
      fc.property(feedback, fc.integer({ min: -6, max: 6 }), (felt, offsetC) => {
        const { applied, summary } = calibrate(model, {
          userProfile: { offsetC },
          feedback: [felt],
        });
        const moved = summary.offsetC - offsetC;
        const residual = applied[0]?.residual ?? 0;
        // Towards the cold means a larger offset; at the bound it stays.
        expect(moved * residual).toBeLessThanOrEqual(1e-9);
        expect(Math.abs(summary.offsetC)).toBeLessThanOrEqual(6);
        expect(Math.abs(moved)).toBeLessThan(5.5);
      }),
    );
  });

  test('is surer after every vote, but for the drift', () => {
    fc.assert(
      fc.property(feedback, fc.integer({ min: 10, max: 600 }), (felt, percent) => {
        const variance = percent / 100;
        const profile = { offsetC: 0, learning: { n: 3, variance, model: 'kalman-t/1' } };
        const after = calibrate(model, { userProfile: profile, feedback: [felt] });
        expect(after.userProfile.learning?.variance).toBeLessThanOrEqual(
          variance + model.k.learn.drift,
        );
      }),
    );
  });

  test('is hardly moved by one vote that makes no sense', () => {
    const steady = Array.from({ length: 20 }, () => felt(-1));
    const slipped = steady.with(10, felt(3));
    expect(Math.abs(offsetAfter(slipped) - offsetAfter(steady))).toBeLessThan(0.5);
    expect(calibrate(model, { feedback: slipped }).applied[10]?.status).toBe('downweighted');
  });

  test('is nothing where a vote at the end of the scale was foreseen', () => {
    const freezing = felt(-3, { weather: { ...OUTDOORS, tempC: -20 }, worn: { icl: 0.5 } });
    const { applied, userProfile, summary } = calibrate(model, { feedback: [freezing] });
    expect(applied[0]?.status).toBe('saturated');
    expect(summary).toMatchObject({ offsetC: 0, n: 1 });
    expect(userProfile.learning?.variance).toBe(model.k.learn.variance);
  });

  test('is less from a wish, from a short stay, and not less from a long one', () => {
    const vote = offsetAfter([felt(-1)]);
    expect(offsetAfter([{ ...felt(0), vote: undefined, preference: 'warmer' }])).toBeLessThan(vote);
    expect(offsetAfter([felt(-1, { minutes: 3 })])).toBeLessThan(vote);
    expect(offsetAfter([felt(-1, { minutes: 60 })])).toBe(vote);
  });

  test('of a part is what it feels beyond the whole', () => {
    const { userProfile } = calibrate(model, {
      feedback: Array.from({ length: 10 }, () =>
        felt(-1, { regionVotes: { hands: -3, head: 2, top: -1 } }),
      ),
    });
    const { hands = 0, head = 0, top = 0 } = userProfile.regionOffsetC ?? {};
    expect(hands).toBeGreaterThan(1);
    expect(head).toBeLessThan(-1);
    expect(Math.abs(top)).toBeLessThan(0.5);
  });
});

test('garments are judged as an outfit of them is, and what is no outfit is refused, all at once', () => {
  const items = (...categories: string[]) =>
    categories.map((category, i) => ({ id: `i${i}`, category }));
  const parka = items('shirt', 'thick_sweater', 'jeans', 'boots', 'parka', 'beanie');
  const light = items('t_shirt', 'shorts', 'sandals');
  const predicted = (worn: Feedback['worn']) =>
    calibrate(model, { feedback: [felt(0, { worn })] }).applied[0]?.predictedVote ?? Number.NaN;
  expect(predicted({ items: parka })).toBeGreaterThan(predicted({ items: light }));
  const nonsense = { worn: { items: items('jeans', 'chinos') } };
  const refuse = () =>
    calibrate(model, { feedback: [felt(0, nonsense), felt(0), felt(0, nonsense)] });
  expect(refuse).toThrow(Problem);
  try {
    refuse();
  } catch (error) {
    expect(error).toMatchObject({
      type: 'invalid-request',
      errors: [{ pointer: '/feedback/0/worn/items' }, { pointer: '/feedback/2/worn/items' }],
    });
  }
});

describe('a request that makes no sense is refused', () => {
  // biome-ignore format: a table reads best aligned
  test.each([
    ['a vote beyond the scale', { ...felt(4) }, '/feedback/0/vote'],
    ['neither vote nor wish', { ...felt(0), vote: undefined }, '/feedback/0'],
    ['outdoors without weather', { ...felt(0), weather: undefined }, '/feedback/0/weather'],
    ['indoors without a temperature', { ...felt(0), plan: 'indoor', weather: undefined }, '/feedback/0/indoorTempC'],
    ['nothing worn', { ...felt(0), worn: {} }, '/feedback/0/worn'],
    ['worn twice over', { ...felt(0), worn: { icl: 1, items: [{ id: 'a', category: 'dress' }] } }, '/feedback/0/worn'],
    ['an unknown part', { ...felt(0), regionVotes: { ears: 1 } }, '/feedback/0/regionVotes'],
  ])('%s', (_, one, pointer) => {
    const parsed = CalibrateRequest.safeParse({ feedback: [one] });
    expect(parsed.error?.issues.map(({ path }) => `/${path.join('/')}`)).toContain(pointer);
  });
});

/** A standard normal number, by adding up (Irwin–Hall). */
const normal = (random: () => number): number =>
  Array.from({ length: 12 }, random).reduce((sum, x) => sum + x, -6);

/** What a person of this offset votes, dressed by the engine as it knows the person so far. */
function livedVote(random: () => number, trueK: number, known: UserProfile): Feedback {
  const plan = random() < 0.5 ? 'indoor' : 'outdoor';
  const met = 1.2 + random() * 1.2;
  const weather = { ...OUTDOORS, tempC: -5 + random() * 27 };
  const asKnown = situationOf(model, { weather, met, userProfile: known });
  const icl = asKnown[plan].iclRequired + (random() - 0.5) * 0.3;
  const truly = situationOf(model, { weather, met, userProfile: { offsetC: trueK } });
  const worn = { icl: Math.min(6, Math.max(0.1, icl)) };
  const milli = ((worn.icl - 0.161) / 0.835 - 0.06) * 1000;
  const { pmv } = thermalOf(settingOf(model, truly[plan], 0), milli, { wind: 0.3, breath: 0.5 });
  const said = Math.round(pmv + 0.9 * normal(random));
  return { vote: Math.min(3, Math.max(-3, said)), weather, met, plan, worn };
}

describe('of 150 made-up persons with a spread of 2.5 K', () => {
  const COUNTS = [0, 1, 5, 20, 50];
  /** Mean error of the offset, K, after so many votes; `wild` of them are said at random. */
  function errorsAfter(wild: number): number[] {
    const random = seeded(42);
    const sums = COUNTS.map(() => 0);
    const persons = 150;
    for (let person = 0; person < persons; person++) {
      const trueK = 2.5 * normal(random);
      let userProfile: UserProfile = { offsetC: 0 };
      for (let n = 0; n <= 50; n++) {
        const at = COUNTS.indexOf(n);
        if (at >= 0) sums[at]! += Math.abs((userProfile.offsetC ?? 0) - trueK) / persons;
        const lived = livedVote(random, trueK, userProfile);
        const said = random() < wild ? Math.floor(random() * 7) - 3 : lived.vote;
        const feedback = [{ ...lived, vote: said }];
        userProfile = calibrate(model, { userProfile, feedback }).userProfile;
      }
    }
    return sums;
  }

  test('the offset is found: the error falls with every count of votes, to a third after 50', () => {
    const errors = errorsAfter(0);
    for (let i = 1; i < errors.length; i++) expect(errors[i]).toBeLessThan(errors[i - 1]!);
    expect(errors.at(-1)! / errors[0]!).toBeLessThan(0.36);
  });

  test('and with a fifth of the votes at random, to a half', () => {
    const errors = errorsAfter(0.2);
    for (let i = 1; i < errors.length; i++) expect(errors[i]).toBeLessThan(errors[i - 1]!);
    expect(errors.at(-1)! / errors[0]!).toBeLessThan(0.5);
  });
});
