import { Problem, type ValidationIssue } from '../../platform/problem.ts';
import { createSetting, milliCloFor, type OuterLayer, thermalOf } from '../comfort/comfort.ts';
import { profileLabel, readProfile } from '../comfort/profile.ts';
import { type Situation, situationOf } from '../comfort/targets.ts';
import { clamp, round } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { RegionOffsets, UserProfile, Weather } from '../schema.ts';
import { createScoringContext } from '../scoring/context.ts';
import { sumEnsemble } from '../scoring/score.ts';
import { BODY_PARTS } from '../tables.ts';
import { assembleEnsemble, type Ensemble, mapEnsemble } from '../wardrobe/ensemble.ts';
import { type Garment, readGarment } from '../wardrobe/garment-clo.ts';
import type { CalibrateRequest, CalibrateResponse, Feedback } from './calibrate-schema.ts';
import { type Belief, type Observation, updateBelief, type VoteUpdate } from './vote-filter.ts';

const FILTER = 'kalman-t/1';
const PREFERENCE_VOTE = { warmer: -1, 'no-change': 0, cooler: 1 } as const;

/** Weather for a vote indoors without one; it does not affect the room. */
const placeholderWeather = (tempC: number): Weather => ({
  tempC,
  windMs: 0,
  humidityPct: 50,
  condition: 'cloudy',
});

/** The situation of a vote, for a person with this offset. */
function situationAt(model: Model, feedback: Feedback, offsetC: number): Situation {
  const { weather, met, indoorTempC } = feedback;
  return situationOf(model, {
    weather: weather ?? placeholderWeather(indoorTempC ?? model.k.indoor.winterC),
    met,
    userProfile: { offsetC },
    ...(indoorTempC !== undefined && { indoorTempC }),
  });
}

type Outfit = Ensemble<Garment> | undefined;

/**
 * The outfit of each vote; undefined if the vote has `icl` instead of items.
 * @throws Problem invalid-request that lists every vote whose items are not an outfit
 */
function readOutfits(model: Model, feedback: readonly Feedback[]): Outfit[] {
  const errors: ValidationIssue[] = [];
  const outfits = feedback.map(({ worn: { items } }, index): Outfit => {
    if (items === undefined) return undefined;
    const outfit = assembleEnsemble(
      model,
      items.map((item) => readGarment(model, item)),
    );
    if (typeof outfit !== 'string') return outfit;
    errors.push({ pointer: `/feedback/${index}/worn/items`, detail: outfit });
    return undefined;
  });
  if (errors.length > 0)
    throw new Problem('invalid-request', 'The items worn are not an outfit', { errors });
  return outfits;
}

/** Insulation worn, milliclo, and the outermost layer. */
function insulationWorn(
  model: Model,
  feedback: Feedback,
  outfit: Outfit,
): { milliClo: number; outerLayer: OuterLayer } {
  const { worn, plan = 'indoor' } = feedback;
  if (outfit === undefined) {
    const wind = worn.windResistance ?? model.k.wear.windUnknown;
    const breathability = model.k.hot.breathUnknown;
    return { milliClo: milliCloFor(model, worn.icl ?? 0), outerLayer: { wind, breathability } };
  }
  const context = createScoringContext(model, situationAt(model, feedback, 0), plan);
  const { milliClo, outerLayer } = sumEnsemble(context, mapEnsemble(outfit, context.toWornItem));
  return { milliClo, outerLayer };
}

/** A vote with its prediction, which is linear in the offset: two points determine it. */
function observe(model: Model, feedback: Feedback, outfit: Outfit): Observation {
  const { noise, briefMinutes, briefNoise, preferenceNoise, indoorSlope } = model.k.learn;
  const slope = feedback.plan === 'outdoor' ? 1 : indoorSlope;
  const { milliClo, outerLayer } = insulationWorn(model, feedback, outfit);
  const voteAt = (offsetC: number): number => {
    const { weather, outdoor, indoor } = situationAt(model, feedback, offsetC);
    const setting =
      feedback.plan === 'outdoor'
        ? createSetting(model, outdoor, 0, model.tables.condition[weather.condition].damp)
        : createSetting(model, indoor, 0);
    return slope * thermalOf(setting, milliClo, outerLayer).pmv;
  };
  const isBrief = feedback.minutes !== undefined && feedback.minutes < briefMinutes;
  const neutralVote = voteAt(0);
  return {
    vote: feedback.vote ?? PREFERENCE_VOTE[feedback.preference ?? 'no-change'],
    neutralVote,
    votesPerK: neutralVote - voteAt(1),
    noise: noise * (isBrief ? briefNoise : 1) * (feedback.vote === undefined ? preferenceNoise : 1),
  };
}

/** Learns the offsets of body parts relative to the whole body. */
function learnRegions(
  model: Model,
  profile: UserProfile,
  votes: NonNullable<Feedback['regionVotes']>,
  wholeBody: Observation,
  wholeBodyK: number,
): { regionOffsetC: RegionOffsets; regionVariance: RegionOffsets } {
  const { learn } = model.k;
  const offsets = { ...profile.regionOffsetC };
  const variances = { ...profile.learning?.regionVariance };
  const withColdParts = readProfile(model, profile).regionOffsetC;
  for (const part of BODY_PARTS) {
    const vote = votes[part];
    if (vote === undefined) continue;
    const learnedK = offsets[part] ?? 0;
    // The prediction includes cold hands or feet that the profile states.
    const otherK = wholeBodyK + (withColdParts[part] ?? 0) - learnedK;
    const prior = { meanK: learnedK, variance: variances[part] ?? learn.regionVariance };
    const neutralVote = wholeBody.neutralVote - wholeBody.votesPerK * otherK;
    const observation = { ...wholeBody, vote, neutralVote, noise: learn.regionNoise };
    const { belief } = updateBelief(model, prior, observation, learn.regionMaxK);
    offsets[part] = belief.meanK;
    variances[part] = belief.variance;
  }
  return { regionOffsetC: offsets, regionVariance: variances };
}

/** Updates the profile by one vote. */
function learnVote(
  model: Model,
  profile: UserProfile,
  feedback: Feedback,
  outfit: Outfit,
): { profile: UserProfile; update: VoteUpdate } {
  const { offsetC, sensitivity } = readProfile(model, profile);
  const prior: Belief = {
    meanK: offsetC,
    variance: profile.learning?.variance ?? model.k.learn.variance,
  };
  const balance = observe(model, feedback, outfit);
  const observation = { ...balance, votesPerK: balance.votesPerK * sensitivity };
  const update = updateBelief(model, prior, observation, model.k.learn.maxK);
  const { meanK, variance } = update.belief;
  const { regionVotes } = feedback;
  const regions = regionVotes
    ? learnRegions(model, profile, regionVotes, balance, meanK * sensitivity)
    : undefined;
  return {
    update,
    profile: {
      ...profile,
      version: 1,
      offsetC: meanK,
      thermalProfile: profileLabel(model, meanK),
      ...(regions && { regionOffsetC: regions.regionOffsetC }),
      learning: {
        ...profile.learning,
        n: (profile.learning?.n ?? 0) + 1,
        variance,
        ...(regions && { regionVariance: regions.regionVariance }),
        model: FILTER,
      },
    },
  };
}

/**
 * Learns a profile from votes, one after the other. Stateless: the returned profile, with every field
 * of the given one, is the only memory.
 * @throws Problem invalid-request that lists every vote whose items are not an outfit
 */
export function calibrate(model: Model, request: CalibrateRequest): CalibrateResponse {
  const outfits = readOutfits(model, request.feedback);
  let profile: UserProfile = request.userProfile ?? {};
  const applied = request.feedback.map((feedback, index) => {
    const step = learnVote(model, profile, feedback, outfits[index]);
    profile = step.profile;
    const { predictedVote, residual, weight, gain, status } = step.update;
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
