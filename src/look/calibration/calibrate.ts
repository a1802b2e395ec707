import { Problem, type ValidationIssue } from '../../platform/problem.ts';
import { milliCloFor, type Outside, settingOf, thermalOf } from '../comfort/comfort.ts';
import { personOf, profileLabel } from '../comfort/profile.ts';
import { type Situation, situationOf } from '../comfort/targets.ts';
import { clamp, round } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { RegionOffsets, UserProfile, Weather } from '../schema.ts';
import { judgementOf } from '../scoring/context.ts';
import { partsOf } from '../scoring/score.ts';
import { BODY_PARTS } from '../tables.ts';
import { dress, mapWorn, type Worn } from '../wardrobe/ensemble.ts';
import { type Garment, garmentOf } from '../wardrobe/garment-clo.ts';
import type { CalibrateRequest, CalibrateResponse, Feedback } from './calibrate-schema.ts';
import { type Belief, type Learned, learnVote, type Observation } from './vote-filter.ts';

const FILTER = 'kalman-t/1';
const WISHED_VOTE = { warmer: -1, 'no-change': 0, cooler: 1 } as const;

/** Weather that only a room is felt in: it plays no part but to fill the place. */
const behindWalls = (tempC: number): Weather => ({
  tempC,
  windMs: 0,
  humidityPct: 50,
  condition: 'cloudy',
});

/** The situation of a vote, for a person whose neutral lies `offsetC` above the population's. */
function situationWith(model: Model, felt: Feedback, offsetC: number): Situation {
  const { weather, met, indoorTempC } = felt;
  return situationOf(model, {
    weather: weather ?? behindWalls(indoorTempC ?? model.k.indoor.winterC),
    met,
    userProfile: { offsetC },
    ...(indoorTempC !== undefined && { indoorTempC }),
  });
}

type Outfit = Worn<Garment> | undefined;

/**
 * What was worn at each vote; none where its insulation is told instead.
 * @throws Problem invalid-request with every vote whose items are no outfit
 */
function outfitsOf(model: Model, feedback: readonly Feedback[]): Outfit[] {
  const errors: ValidationIssue[] = [];
  const outfits = feedback.map(({ worn: { items } }, index): Outfit => {
    if (items === undefined) return undefined;
    const outfit = dress(
      model,
      items.map((item) => garmentOf(model, item)),
    );
    if (typeof outfit !== 'string') return outfit;
    errors.push({ pointer: `/feedback/${index}/worn/items`, detail: outfit });
    return undefined;
  });
  if (errors.length > 0)
    throw new Problem('invalid-request', 'What was worn is no outfit', { errors });
  return outfits;
}

/** Insulation worn, thousandths of a clo, and its outermost layer. */
function ensembleOf(
  model: Model,
  felt: Feedback,
  outfit: Outfit,
): { milliClo: number; outside: Outside } {
  const { worn, plan = 'indoor' } = felt;
  if (outfit === undefined) {
    const wind = worn.windResistance ?? model.k.wear.windUnknown;
    const breath = model.k.hot.breathUnknown;
    return { milliClo: milliCloFor(model, worn.icl ?? 0), outside: { wind, breath } };
  }
  const judgement = judgementOf(model, situationWith(model, felt, 0), plan);
  const { milli, outside } = partsOf(judgement, mapWorn(outfit, judgement.pieceOf));
  return { milliClo: milli, outside };
}

/** What the heat balance says of a vote; it is linear in the offset, so that two points give all. */
function observe(model: Model, felt: Feedback, outfit: Outfit): Observation {
  const ensemble = ensembleOf(model, felt, outfit);
  const voteAt = (offsetC: number): number => {
    const { weather, outdoor, indoor } = situationWith(model, felt, offsetC);
    const setting =
      felt.plan === 'outdoor'
        ? settingOf(model, outdoor, 0, model.tables.condition[weather.condition].damp)
        : settingOf(model, indoor, 0);
    return thermalOf(setting, ensemble.milliClo, ensemble.outside).pmv;
  };
  const { noise, briefMinutes, briefNoise, preferenceNoise } = model.k.learn;
  const isBrief = felt.minutes !== undefined && felt.minutes < briefMinutes;
  const neutralVote = voteAt(0);
  return {
    vote: felt.vote ?? WISHED_VOTE[felt.preference ?? 'no-change'],
    neutralVote,
    votesPerK: neutralVote - voteAt(1),
    noise: noise * (isBrief ? briefNoise : 1) * (felt.vote === undefined ? preferenceNoise : 1),
  };
}

/** Learns what parts of the body say beyond the whole. */
function learnParts(
  model: Model,
  profile: UserProfile,
  votes: NonNullable<Feedback['regionVotes']>,
  seen: Observation,
  wholeK: number,
): { regionOffsetC: RegionOffsets; regionVariance: RegionOffsets } {
  const { learn } = model.k;
  const offsets = { ...profile.regionOffsetC };
  const variances = { ...profile.learning?.regionVariance };
  const felt = personOf(model, profile).regionOffsetC;
  for (const part of BODY_PARTS) {
    const vote = votes[part];
    if (vote === undefined) continue;
    const told = offsets[part] ?? 0;
    // Beside what is learned, cold hands or feet that the person has told of are foreseen.
    const beside = wholeK + (felt[part] ?? 0) - told;
    const belief = { meanK: told, variance: variances[part] ?? learn.regionVariance };
    const neutralVote = seen.neutralVote - seen.votesPerK * beside;
    const observation = { ...seen, vote, neutralVote, noise: learn.regionNoise };
    const learned = learnVote(model, belief, observation, learn.regionMaxK);
    offsets[part] = learned.belief.meanK;
    variances[part] = learned.belief.variance;
  }
  return { regionOffsetC: offsets, regionVariance: variances };
}

/** One vote: the profile after it, and what was made of it. */
function learn(
  model: Model,
  profile: UserProfile,
  felt: Feedback,
  outfit: Outfit,
): { profile: UserProfile; learned: Learned } {
  const { offsetC, sensitivity } = personOf(model, profile);
  const believed: Belief = {
    meanK: offsetC,
    variance: profile.learning?.variance ?? model.k.learn.variance,
  };
  const balance = observe(model, felt, outfit);
  const seen = { ...balance, votesPerK: balance.votesPerK * sensitivity };
  const learned = learnVote(model, believed, seen, model.k.learn.maxK);
  const { meanK, variance } = learned.belief;
  const { regionVotes } = felt;
  const parts = regionVotes
    ? learnParts(model, profile, regionVotes, balance, meanK * sensitivity)
    : undefined;
  return {
    learned,
    profile: {
      ...profile,
      version: 1,
      offsetC: meanK,
      thermalProfile: profileLabel(model, meanK),
      ...(parts && { regionOffsetC: parts.regionOffsetC }),
      learning: {
        ...profile.learning,
        n: (profile.learning?.n ?? 0) + 1,
        variance,
        ...(parts && { regionVariance: parts.regionVariance }),
        model: FILTER,
      },
    },
  };
}

/**
 * Learns a profile from votes, one after the other. Nothing is kept here: the profile that comes
 * back is the memory, with every field that came in.
 * @throws Problem invalid-request with every vote whose items are no outfit
 */
export function calibrate(model: Model, request: CalibrateRequest): CalibrateResponse {
  const outfits = outfitsOf(model, request.feedback);
  let profile: UserProfile = request.userProfile ?? {};
  const applied = request.feedback.map((felt, index) => {
    const step = learn(model, profile, felt, outfits[index]);
    profile = step.profile;
    const { predictedVote, residual, weight, gain, status } = step.learned;
    return {
      index,
      predictedVote: round(predictedVote, 3),
      residual: round(residual, 3),
      weight: round(weight, 3),
      gain: round(gain, 3),
      status,
    };
  });
  const variance = profile.learning?.variance ?? model.k.learn.variance;
  return {
    userProfile: profile,
    applied,
    summary: {
      offsetC: round(profile.offsetC ?? 0, 3),
      offsetSd: round(Math.sqrt(variance), 3),
      confidence: round(clamp(1 - Math.sqrt(variance / model.k.learn.variance), 0, 1), 3),
      n: profile.learning?.n ?? 0,
    },
  };
}
