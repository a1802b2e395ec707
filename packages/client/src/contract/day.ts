import type { Forecast } from './forecast.ts';
import type { Candidate, WardrobeFields } from './outfits.ts';
import type { Diagnostic, PersonFields, Plan, Weather } from './targets.ts';

/* Outfits for a day. */

/** One hour of a day. */
export interface DayHour {
  /** Returned as it is; up to 40 characters. */
  at?: string | undefined;
  weather: Weather;
  /** Activity, met: 0.7 to 7. */
  met: number;
  /** `outdoor` by default. */
  place?: Plan | undefined;
  /** °C: 5 to 40. */
  indoorTempC?: number | undefined;
}

export interface DayRequest extends PersonFields, WardrobeFields {
  /** 1 to 48; instead of `forecast`. */
  hours?: DayHour[] | undefined;
  /** Read outdoors, with `met`. */
  forecast?: Forecast | undefined;
  /** Of the forecast, `2026-11-24`; its first by default. */
  date?: string | undefined;
  /** Activity with a forecast, met: 0.7 to 7. */
  met?: number | undefined;
}

export interface DayOutfit extends Candidate {
  name: string;
}

/** What is worn in an hour, and what changes before it. */
export interface DayHourResult {
  at?: string;
  wearIds: string[];
  putOnIds: string[];
  takeOffIds: string[];
  /** Clo. */
  icl: number;
  deviation: number;
  /** Predicted percentage dissatisfied (ISO 7730). */
  ppd: number;
  /** 0 to 1. */
  fit: number;
}

export interface WorstHour {
  /** Index in `hours`. */
  hour: number;
  /** 0 to 1. */
  fit: number;
}

export interface DayResponse {
  outfit: DayOutfit | null;
  hours: DayHourResult[];
  worst: WorstHour | null;
  diagnostics: Diagnostic[];
  paramsVersion: string;
}
