import type { BodyValues, Plan, UserProfile, Weather } from './targets.ts';
import type { WardrobeItem } from './wardrobe-item.ts';

/* A person's thermal preference, learned from feedback. */

/** What was worn: either `items` or `icl`. */
export interface WornClothing {
  /** 1 to 20. */
  items?: WardrobeItem[] | undefined;
  /** Insulation of the whole outfit, clo: 0.1 to 6. */
  icl?: number | undefined;
  /** With `icl`: 0 to 1. */
  windResistance?: number | undefined;
}

/** How warm a person felt; it has `vote`, `preference` or both. */
export interface ThermalFeedback {
  /** −3 cold, 0 neutral, 3 hot. */
  vote?: number | undefined;
  preference?: 'warmer' | 'no-change' | 'cooler' | undefined;
  /** −3 cold to 3 hot. */
  regionVotes?: BodyValues | undefined;
  /** Needed for what was felt outdoors. */
  weather?: Weather | undefined;
  /** Activity, met: 0.7 to 7. */
  met: number;
  /** Where it was felt; `indoor` by default. */
  plan?: Plan | undefined;
  /** °C: 5 to 40; needed for what was felt indoors, unless there is `weather`. */
  indoorTempC?: number | undefined;
  /** Time spent there, minutes: 1 to 1440. */
  minutes?: number | undefined;
  worn: WornClothing;
}

export interface CalibrateRequest {
  userProfile?: UserProfile | undefined;
  /** 1 to 100. */
  feedback: ThermalFeedback[];
}

/** What became of one feedback. */
export interface AppliedFeedback {
  /** Index in `feedback`. */
  index: number;
  /** −3 cold to 3 hot. */
  predictedVote: number;
  residual: number;
  /** 0 to 1: low for outliers. */
  weight: number;
  gain: number;
  status: 'applied' | 'downweighted' | 'saturated';
}

export interface CalibrationSummary {
  /** Kelvin. */
  offsetC: number;
  /** Standard deviation of the offset, kelvin. */
  offsetSd: number;
  /** 0 to 1. */
  confidence: number;
  /** Votes so far. */
  n: number;
}

export interface CalibrateResponse {
  /** Store it and send it with the next request. */
  userProfile: UserProfile;
  applied: AppliedFeedback[];
  summary: CalibrationSummary;
}
