import type { Locale } from '../../taxonomy/dictionary/schema.ts';
import { canonicalJson, digestOf, type SigningKeys, verifyDigest } from '../digest.ts';
import { round } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { Diagnostic, Targets, TargetsRequest, TargetsResponse } from '../schema.ts';
import { DIAGNOSTICS } from '../texts/explanations.ts';
import { fill } from '../texts/texts.ts';
import type { Weather } from '../weather-input.ts';
import {
  indoorTargets,
  type Situation,
  situationOf,
  toRequest,
  unsignedTargets,
} from './targets.ts';

/**
 * The response to a request for targets: the need outdoors, signed, and the need of the base outfit.
 * @param plan is signed too; `outdoor` has no base outfit, so its indoor targets are empty
 */
export function targetsResponse(
  model: Model,
  keys: SigningKeys,
  situation: Situation,
  plan?: Targets['inputs']['plan'],
): Omit<TargetsResponse, 'diagnostics'> {
  const unsigned = unsignedTargets(model, situation, plan);
  return {
    targets: { ...unsigned, digest: digestOf(unsigned, keys) },
    indoorTargets: plan === 'outdoor' ? {} : indoorTargets(situation),
    indoorTempC: round(situation.indoorTempC, 3),
    isHotRegime: situation.isHot,
  };
}

/** What was assumed in reading weathers, or is doubtful in them; each sentence once. */
export function weatherDiagnostics(
  weathers: readonly Weather[],
  locale: Locale = 'en',
): Diagnostic[] {
  const details = new Map<string, Diagnostic>();
  for (const { code, params } of weathers.flatMap(({ notes = [] }) => notes)) {
    const detail = fill(DIAGNOSTICS[code][locale], params);
    details.set(detail, { code, detail });
  }
  return [...details.values()];
}

/** Target insulation by body region, without a wardrobe and for either plan. */
export const computeTargets = (
  model: Model,
  keys: SigningKeys,
  request: TargetsRequest,
): TargetsResponse => ({
  ...targetsResponse(model, keys, situationOf(model, request)),
  diagnostics: weatherDiagnostics([request.weather], request.locale),
});

/** What signed targets say. */
interface VerifiedTargets {
  situation: Situation;
  /** Undefined if the targets hold for either plan. */
  plan: Targets['inputs']['plan'];
}

/**
 * Verifies the digest of targets and computes their situation again from the signed inputs.
 * @throws Problem targets-altered, targets-expired
 * @throws Error if the signed inputs give other targets now: a bug in this service
 */
export function verifyTargets(
  model: Model,
  keys: SigningKeys,
  given: Readonly<Record<string, unknown>>,
): VerifiedTargets {
  const { digest: _, ...signed } = verifyDigest(model, given, keys);
  const situation = situationOf(model, toRequest({ ...signed, digest: '' }));
  const { paramsVersion } = signed;
  const { plan } = signed.inputs;
  const unsigned = { ...unsignedTargets(model, situation, plan), paramsVersion };
  if (canonicalJson(unsigned) !== canonicalJson(signed))
    throw new Error('Signed targets do not follow from their inputs');
  return { situation, plan };
}
