import { canonicalJson, checkDigest, digestOf, type SigningKeys } from '../digest.ts';
import { round } from '../numeric.ts';
import type { Model } from '../params.ts';
import type { TargetsRequest, TargetsResponse } from '../schema.ts';
import {
  indoorTargets,
  requestOf,
  type Situation,
  situationOf,
  unsignedTargets,
} from './targets.ts';

/**
 * The answer to a request for targets: the need outdoors, signed, and the need of the base outfit.
 * @param plan `outdoor` has no base outfit, so that its indoor targets are empty
 */
export function targetsAnswer(
  model: Model,
  keys: SigningKeys,
  situation: Situation,
  plan: 'indoor' | 'outdoor' = 'indoor',
): TargetsResponse {
  const unsigned = unsignedTargets(model, situation);
  return {
    targets: { ...unsigned, digest: digestOf(unsigned, keys) },
    indoorTargets: plan === 'indoor' ? indoorTargets(model, situation) : {},
    indoorTempC: round(situation.indoorTempC, 3),
    isHotRegime: situation.isHot,
  };
}

/** Target clo per body region, without a wardrobe. */
export const computeTargets = (
  model: Model,
  keys: SigningKeys,
  request: TargetsRequest,
): TargetsResponse => targetsAnswer(model, keys, situationOf(model, request));

/**
 * The situation that targets were issued for, computed again from what they were signed with: nothing
 * a client sends is believed.
 * @throws Problem targets-altered, targets-expired
 * @throws Error when the same inputs give other targets now, which is a fault of this service
 */
export function trustedSituation(
  model: Model,
  keys: SigningKeys,
  given: Readonly<Record<string, unknown>>,
): Situation {
  const { digest: _, ...signed } = checkDigest(model, given, keys);
  const situation = situationOf(model, requestOf({ ...signed, digest: '' }));
  const { paramsVersion } = signed;
  if (
    canonicalJson({ ...unsignedTargets(model, situation), paramsVersion }) !== canonicalJson(signed)
  )
    throw new Error('Signed targets do not follow from their inputs');
  return situation;
}
