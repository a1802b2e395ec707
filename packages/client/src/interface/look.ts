import type * as contract from '../contract.ts';
import type { Answer } from './answer.ts';
import type { CallOptions } from './common.ts';

/** Outfits: every response is computed from its request alone. */
export interface LookClient {
  /** Returns every coefficient with unit and source. Needs no key. */
  params(options?: CallOptions): Answer<contract.ParamsResponse>;
  /** Returns labels, accepted values, versions and limits. */
  meta(query?: contract.MetaQuery, options?: CallOptions): Answer<contract.MetaResponse>;
  /** Computes the insulation to wear, without a wardrobe. */
  targets(
    request: contract.TargetsRequest,
    options?: CallOptions,
  ): Answer<contract.TargetsResponse>;
  /** Returns the best outfits, with signed targets. */
  candidates(
    request: contract.CandidatesRequest,
    options?: CallOptions,
  ): Answer<contract.CandidatesResponse>;
  /** Scores and ranks candidates. Send `targets` as `candidates` or `targets` returned them. */
  score(request: contract.ScoreRequest, options?: CallOptions): Answer<contract.ScoreResponse>;
  /** Returns the best outfits with names and scores. */
  outfits(
    request: contract.OutfitsRequest,
    options?: CallOptions,
  ): Answer<contract.OutfitsResponse>;
  /** Fits a profile to how warm a person felt. */
  calibrate(
    request: contract.CalibrateRequest,
    options?: CallOptions,
  ): Answer<contract.CalibrateResponse>;
  /** Returns one outfit for an hourly forecast. */
  day(request: contract.DayRequest, options?: CallOptions): Answer<contract.DayResponse>;
  /** Returns what to take on a trip, and an outfit for each day. */
  trip(request: contract.TripRequest, options?: CallOptions): Answer<contract.TripResponse>;
}
