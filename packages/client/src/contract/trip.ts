import type { Forecast } from './forecast.ts';
import type { Candidate, Explanation, WardrobeFields } from './outfits.ts';
import type { Diagnostic, PersonFields, Plan, Weather } from './targets.ts';

/* What to take on a trip. */

/** One day of a trip. */
export interface TripDay {
  /** `2026-11-24`. */
  date: string;
  /** That of the forecast by default. */
  weather?: Weather | undefined;
  /** Activity, met: 0.7 to 7. */
  met: number;
  /** Id of an occasion of the dictionary. */
  occasion?: string | undefined;
  /** `outdoor` by default. */
  plan?: Plan | undefined;
  /** °C: 5 to 40. */
  indoorTempC?: number | undefined;
}

export interface TripRequest extends Omit<PersonFields, 'occasion'>, Omit<WardrobeFields, 'must'> {
  /** 1 to 14. */
  days: TripDay[];
  /** For days without `weather`. */
  forecast?: Forecast | undefined;
  /** Items that all outfits have together, at most: 1 to 1000. */
  maxItems: number;
  /** Days on which a top, dress, bottom, underlayer or pair of socks is worn, at most: 1 to 14. */
  wearsBeforeWash?: number | undefined;
}

export interface TripOutfit extends Candidate {
  name: string;
  /** Points: 0 to 100. */
  score: number;
  /** Codes, listed by `/meta`. */
  warnings: string[];
  explanation: Explanation[];
}

export interface TripDayResult {
  date: string;
  /** Null if no outfit is left within the limits. */
  outfit: TripOutfit | null;
}

export interface TripResponse {
  /** What to take along. */
  itemIds: string[];
  days: TripDayResult[];
  /** Points by which the mean score could be better; 0 if it is proved to be the best. */
  gap: number;
  diagnostics: Diagnostic[];
  paramsVersion: string;
}
