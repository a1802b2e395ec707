import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibrate } from '../../../src/look/calibration/calibrate.ts';
import { CalibrateRequest, type Feedback } from '../../../src/look/calibration/calibrate-schema.ts';
import { createSetting, thermalOf } from '../../../src/look/comfort/comfort.ts';
import { situationOf } from '../../../src/look/comfort/targets.ts';
import { PARAMS, readModel } from '../../../src/look/params.ts';
import type { UserProfile } from '../../../src/look/schema.ts';
import { Problem } from '../../../src/platform/problem.ts';
import { createRandom } from '../wardrobes.ts';

const model = readModel(PARAMS);
const OUTDOORS = { tempC: 2, windMs: 4, humidityPct: 70, condition: 'cloudy' } as const;

const feedbackOf = (vote: number, more: Partial<Feedback> = {}): Feedback => ({
  vote,
  weather: OUTDOORS,
  met: 2,
  plan: 'outdoor',
  worn: { icl: 1.72, windResistance: 0.9 },
  ...more,
});
const offsetAfter = (votes: readonly Feedback[], userProfile?: UserProfile): number =>
  calibrate(model, { userProfile, feedback: [...votes] }).summary.offsetC;

test('a vote of cool in a parka at 2 °C, predicted as −0.8, changes the offset by 0.4 K', () => {
  const { userProfile, applied, summary } = calibrate(model, { feedback: [feedbackOf(-2)] });
  expect(applied[0]?.predictedVote).toBeCloseTo(-0.79, 1);
  expect(summary.offsetC).toBeCloseTo(0.36, 1);
  expect(summary.offsetSd).toBeCloseTo(1.7, 1);
  expect(summary.n).toBe(1);
  expect(userProfile.thermalProfile).toBe('neutral');
  const six = calibrate(model, { feedback: [-2, -2, -2, -1, -2, -1].map((v) => feedbackOf(v)) });
  expect(six.userProfile.thermalProfile).toBe('runs-cold');
});

describe('the profile', () => {
  const given = {
    nickname: 'Ada',
    sensitivity: 1.2,
    coldHands: true,
    learning: { n: 7, variance: 3, model: 'other/2', site: 'x' },
  };

  test('is returned with every field of the request, which is not modified', () => {
    const before = structuredClone(given);
    const { userProfile } = calibrate(model, { userProfile: given, feedback: [feedbackOf(-1)] });
    expect(given).toEqual(before);
    expect(userProfile).toMatchObject({ nickname: 'Ada', sensitivity: 1.2, coldHands: true });
    expect(userProfile.learning).toMatchObject({ n: 8, site: 'x', model: 'kalman-t/1' });
  });

  test('is accepted unchanged by the next request', () => {
    const { userProfile } = calibrate(model, {
      userProfile: given,
      feedback: [feedbackOf(-1, { regionVotes: { hands: -3, feet: 1 } })],
    });
    const again = CalibrateRequest.parse({ userProfile, feedback: [feedbackOf(0)] });
    expect(again.userProfile).toEqual(userProfile);
  });

  test('starts from its label if it has no offset', () => {
    const profile: UserProfile = { thermalProfile: 'runs-cold' };
    expect(
      calibrate(model, { userProfile: profile, feedback: [feedbackOf(-1)] }).applied[0],
    ).toEqual(
      calibrate(model, { userProfile: { offsetC: 1.5 }, feedback: [feedbackOf(-1)] }).applied[0],
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

describe('calibration', () => {
  test('gives the same result in one call as in two', () => {
    fc.assert(
      fc.property(fc.array(feedback, { minLength: 2, maxLength: 6 }), (votes) => {
        const [first, ...rest] = votes;
        const once = calibrate(model, { feedback: votes }).userProfile;
        const { userProfile } = calibrate(model, { feedback: [first!] });
        expect(calibrate(model, { userProfile, feedback: rest }).userProfile).toEqual(once);
      }),
    );
  });

  test('raises the offset after a vote colder than predicted and lowers it after a warmer one', () => {
    fc.assert(
      fc.property(feedback, fc.integer({ min: -6, max: 6 }), (felt, offsetC) => {
        const { applied, summary } = calibrate(model, {
          userProfile: { offsetC },
          feedback: [felt],
        });
        const moved = summary.offsetC - offsetC;
        const residual = applied[0]?.residual ?? 0;
        // Feeling colder means a larger offset; at the bound it does not change.
        expect(moved * residual).toBeLessThanOrEqual(1e-9);
        expect(Math.abs(summary.offsetC)).toBeLessThanOrEqual(6);
        expect(Math.abs(moved)).toBeLessThan(5.5);
      }),
    );
  });

  test('lowers the variance with every vote, up to the drift', () => {
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

  test('gives one outlier little weight', () => {
    const steady = Array.from({ length: 20 }, () => feedbackOf(-1));
    const withOutlier = steady.with(10, feedbackOf(3));
    expect(Math.abs(offsetAfter(withOutlier) - offsetAfter(steady))).toBeLessThan(0.5);
    expect(calibrate(model, { feedback: withOutlier }).applied[10]?.status).toBe('downweighted');
  });

  test('ignores a vote at the end of the scale that was predicted there', () => {
    const freezing = feedbackOf(-3, { weather: { ...OUTDOORS, tempC: -20 }, worn: { icl: 0.5 } });
    const { applied, userProfile, summary } = calibrate(model, { feedback: [freezing] });
    expect(applied[0]?.status).toBe('saturated');
    expect(summary).toMatchObject({ offsetC: 0, n: 1 });
    expect(userProfile.learning?.variance).toBe(model.k.learn.variance);
  });

  test('gives less weight to a preference and to a short stay, and full weight to a long one', () => {
    const vote = offsetAfter([feedbackOf(-1)]);
    expect(offsetAfter([{ ...feedbackOf(0), vote: undefined, preference: 'warmer' }])).toBeLessThan(
      vote,
    );
    expect(offsetAfter([feedbackOf(-1, { minutes: 3 })])).toBeLessThan(vote);
    expect(offsetAfter([feedbackOf(-1, { minutes: 60 })])).toBe(vote);
  });

  test('learns the offset of a body part relative to the whole body', () => {
    const { userProfile } = calibrate(model, {
      feedback: Array.from({ length: 10 }, () =>
        feedbackOf(-1, { regionVotes: { hands: -3, head: 2, top: -1 } }),
      ),
    });
    const { hands = 0, head = 0, top = 0 } = userProfile.regionOffsetC ?? {};
    expect(hands).toBeGreaterThan(1);
    expect(head).toBeLessThan(-1);
    expect(Math.abs(top)).toBeLessThan(0.5);
  });
});

test('items are read as an outfit; every vote whose items are not an outfit is rejected in one response', () => {
  const items = (...categories: string[]) =>
    categories.map((category, i) => ({ id: `i${i}`, category }));
  const parka = items('shirt', 'thick_sweater', 'jeans', 'boots', 'parka', 'beanie');
  const light = items('t_shirt', 'shorts', 'sandals');
  const predicted = (worn: Feedback['worn']) =>
    calibrate(model, { feedback: [feedbackOf(0, { worn })] }).applied[0]?.predictedVote ??
    Number.NaN;
  expect(predicted({ items: parka })).toBeGreaterThan(predicted({ items: light }));
  const notAnOutfit = { worn: { items: items('jeans', 'chinos') } };
  const reject = () =>
    calibrate(model, {
      feedback: [feedbackOf(0, notAnOutfit), feedbackOf(0), feedbackOf(0, notAnOutfit)],
    });
  expect(reject).toThrow(Problem);
  try {
    reject();
  } catch (error) {
    expect(error).toMatchObject({
      type: 'invalid-request',
      errors: [{ pointer: '/feedback/0/worn/items' }, { pointer: '/feedback/2/worn/items' }],
    });
  }
});

test('people in rooms vote half as far from neutral as the heat balance predicts', () => {
  const cool = { indoorTempC: 17, met: 1.2, worn: { icl: 0.6 } };
  const { indoor } = situationOf(model, {
    weather: { ...OUTDOORS, tempC: 17 },
    met: 1.2,
    indoorTempC: 17,
  });
  const milliClo = ((0.6 - 0.161) / 0.835 - 0.06) * 1000;
  const { pmv } = thermalOf(createSetting(model, indoor, 0), milliClo, {
    wind: model.k.wear.windUnknown,
    breathability: model.k.hot.breathUnknown,
  });
  const { applied } = calibrate(model, { feedback: [{ vote: -1, ...cool }] });
  expect(pmv).toBeLessThan(-1);
  expect(applied[0]?.predictedVote).toBeCloseTo(0.5 * pmv, 2);
});

describe('an invalid request is rejected', () => {
  // biome-ignore format: a table reads best aligned
  test.each([
    ['a vote beyond the scale', { ...feedbackOf(4) }, '/feedback/0/vote'],
    ['neither vote nor preference', { ...feedbackOf(0), vote: undefined }, '/feedback/0'],
    ['outdoors without weather', { ...feedbackOf(0), weather: undefined }, '/feedback/0/weather'],
    ['indoors without a temperature', { ...feedbackOf(0), plan: 'indoor', weather: undefined }, '/feedback/0/indoorTempC'],
    ['nothing worn', { ...feedbackOf(0), worn: {} }, '/feedback/0/worn'],
    ['worn twice over', { ...feedbackOf(0), worn: { icl: 1, items: [{ id: 'a', category: 'dress' }] } }, '/feedback/0/worn'],
    ['an unknown part', { ...feedbackOf(0), regionVotes: { ears: 1 } }, '/feedback/0/regionVotes'],
  ])('%s', (_, one, pointer) => {
    const parsed = CalibrateRequest.safeParse({ feedback: [one] });
    expect(parsed.error?.issues.map(({ path }) => `/${path.join('/')}`)).toContain(pointer);
  });
});

/** A standard normal number as a sum of uniform ones (Irwin–Hall). */
const normal = (random: () => number): number =>
  Array.from({ length: 12 }, random).reduce((sum, x) => sum + x, -6);

/** The vote of a person with this offset, dressed by the engine for the profile known so far. */
function simulatedVote(random: () => number, trueK: number, known: UserProfile): Feedback {
  const plan = random() < 0.5 ? 'indoor' : 'outdoor';
  const met = 1.2 + random() * 1.2;
  const weather = { ...OUTDOORS, tempC: -5 + random() * 27 };
  const predicted = situationOf(model, { weather, met, userProfile: known });
  const icl = predicted[plan].iclRequired + (random() - 0.5) * 0.3;
  const actual = situationOf(model, { weather, met, userProfile: { offsetC: trueK } });
  const worn = { icl: Math.min(6, Math.max(0.1, icl)) };
  const milliClo = ((worn.icl - 0.161) / 0.835 - 0.06) * 1000;
  const { pmv } = thermalOf(createSetting(model, actual[plan], 0), milliClo, {
    wind: 0.3,
    breathability: 0.5,
  });
  const { indoorSlope, noise } = model.k.learn;
  const felt = plan === 'indoor' ? indoorSlope * pmv : pmv;
  const vote = Math.round(felt + Math.sqrt(noise) * normal(random));
  return { vote: Math.min(3, Math.max(-3, vote)), weather, met, plan, worn };
}

describe('for 150 simulated persons with an SD of 1.7 K', () => {
  const COUNTS = [0, 1, 5, 20, 50];
  /** Mean error of the offset, K, after each count of votes, with this share of outliers. */
  function errorsAfter(outliers: number): number[] {
    const { next: random } = createRandom(42);
    const sums = COUNTS.map(() => 0);
    const persons = 150;
    for (let person = 0; person < persons; person++) {
      const trueK = 1.7 * normal(random);
      let userProfile: UserProfile = { offsetC: 0 };
      for (let n = 0; n <= 50; n++) {
        const at = COUNTS.indexOf(n);
        if (at >= 0) sums[at]! += Math.abs((userProfile.offsetC ?? 0) - trueK) / persons;
        const simulated = simulatedVote(random, trueK, userProfile);
        const vote = random() < outliers ? Math.floor(random() * 7) - 3 : simulated.vote;
        const feedback = [{ ...simulated, vote }];
        userProfile = calibrate(model, { userProfile, feedback }).userProfile;
      }
    }
    return sums;
  }

  test('the error of the offset falls with every count of votes, to six tenths after 50', () => {
    const errors = errorsAfter(0);
    for (let i = 1; i < errors.length; i++) expect(errors[i]).toBeLessThan(errors[i - 1]!);
    expect(errors.at(-1)! / errors[0]!).toBeLessThan(0.6);
  });

  test('with a fifth of the votes random, it falls to two thirds', () => {
    const errors = errorsAfter(0.2);
    for (let i = 1; i < errors.length; i++) expect(errors[i]).toBeLessThan(errors[i - 1]!);
    expect(errors.at(-1)! / errors[0]!).toBeLessThan(0.67);
  });
});
