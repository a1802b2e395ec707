/* The weather, the person, and the insulation they need. */

/** What was assumed, why items were left out, or why there is no outfit. */
export interface Diagnostic {
  code: string;
  slot?: string;
  itemIds?: string[];
  detail: string;
}

export type WeatherCondition =
  | 'clear'
  | 'partly-cloudy'
  | 'cloudy'
  | 'fog'
  | 'drizzle'
  | 'rain'
  | 'heavy-rain'
  | 'thunderstorm'
  | 'sleet'
  | 'hail'
  | 'snow'
  | 'heavy-snow'
  | 'windy'
  | 'unknown';

/** Units of a weather, if they are not °C, m/s and percent. */
export interface WeatherUnits {
  temp?: 'C' | 'F' | 'K' | undefined;
  wind?: 'm/s' | 'km/h' | 'mph' | 'kn' | undefined;
  humidity?: '%' | 'share' | undefined;
}

export interface Weather {
  /** Air at 2 m: −60 to 60 °C. */
  tempC: number;
  /** Mean wind at 10 m: 0 to 60 m/s. */
  windMs: number;
  gustMs?: number | null | undefined;
  /** Relative humidity: 0 to 100 %; one that is usual for the condition by default. */
  humidityPct?: number | null | undefined;
  /** Ignored, and a diagnostic says so. */
  feelsLikeC?: number | null | undefined;
  /** Any text or code of a forecast. */
  condition: string | number;
  /** Whether the sun is up; `true` by default. */
  isDay?: boolean | undefined;
  units?: WeatherUnits | undefined;
}

export type ThermalProfile =
  | 'runs-very-cold'
  | 'runs-cold'
  | 'neutral'
  | 'runs-warm'
  | 'runs-very-warm';

/** A number for each part of the body. */
export interface BodyValues {
  top?: number | undefined;
  bottom?: number | undefined;
  feet?: number | undefined;
  hands?: number | undefined;
  head?: number | undefined;
}

/** What calibration has learned. */
export interface ProfileLearning {
  /** Votes so far. */
  n: number;
  variance: number;
  regionVariance?: BodyValues | undefined;
  model: string;
  [extra: string]: unknown;
}

/** How warm a person likes it. Other members are returned unchanged. */
export interface UserProfile {
  version?: 1 | undefined;
  thermalProfile?: ThermalProfile | undefined;
  /** By how much the person feels cold sooner than most, kelvin: −6 to 6; overrides the label. */
  offsetC?: number | undefined;
  /** 0.5 to 2. */
  sensitivity?: number | undefined;
  /** Kelvin: −3 to 3. */
  regionOffsetC?: BodyValues | undefined;
  /** Parts of the body that every outfit covers. */
  coverage?: Coverage[] | undefined;
  coldHands?: boolean | undefined;
  coldFeet?: boolean | undefined;
  learning?: ProfileLearning | undefined;
  [extra: string]: unknown;
}

/** A part of the body that outfits are to cover. */
export type Coverage = 'head' | 'arms' | 'legs' | 'midriff';

/**
 * Where the outfit is for: `indoor` dresses for the room and offers a shell for outside, `outdoor`
 * dresses for outside.
 */
export type Plan = 'indoor' | 'outdoor';

/** Whom an outfit is for. */
export interface PersonFields {
  userProfile?: UserProfile | undefined;
  /** Insulation to add, clo: −1.5 to 1.5. */
  cloOffset?: number | undefined;
  /** Id of an occasion of the dictionary. */
  occasion?: string | undefined;
}

export interface TargetsRequest extends PersonFields {
  weather: Weather;
  /** Activity, met: 0.7 to 7. 1 is sitting, 2 is walking. */
  met: number;
  /** °C: 5 to 40; by default 22 in the heating season and 24.5 in the cooling season. */
  indoorTempC?: number | undefined;
  locale?: string | undefined;
}

/** Sums of Iclu to wear by region, clo; do not add them up. */
export interface RegionalTargets {
  top: number;
  outerwear: number;
  dress: number;
  bottom: number;
  shoes: number;
  accessory: number;
}

/** Insulation of the whole outfit, clo. */
export interface TotalTarget {
  iclRequired: number;
  iclResultant: number;
  sumIclu: number;
  iclRaw: number;
  capped: boolean;
  floored: boolean;
}

/** What targets were computed from. */
export interface TargetInputs {
  condition: WeatherCondition;
  isDay: boolean;
  offsetC: number;
  sensitivity: number;
  regionOffsetC: BodyValues;
  cloOffset: number;
  occasion: string | null;
  indoorTempC: number | null;
  /** The only plan that `score` accepts with these targets; absent if `targets` issued them. */
  plan?: Plan;
}

/** The insulation needed outdoors, signed. Send it back unchanged. */
export interface Targets {
  tempC: number;
  windMs: number;
  humidityPct: number;
  met: number;
  /** Boundary air layer, clo. */
  iA: number;
  /** Vapour gradient relative to 50 % relative humidity. */
  kHumidity: number;
  /** Dry heat that the clothing must pass, W/m². */
  hEff: number;
  regionalTargets: RegionalTargets;
  thermalProfile: ThermalProfile;
  total: TotalTarget;
  inputs: TargetInputs;
  paramsVersion: string;
  /** The signature. */
  digest: string;
}

export interface IndoorTotalTarget {
  /** Clo. */
  iclRequired: number;
}

/** The insulation needed in the room; empty for the plan `outdoor`. */
export interface IndoorTargets {
  tempC?: number;
  met?: number;
  regionalTargets?: RegionalTargets;
  total?: IndoorTotalTarget;
}

export interface TargetsResponse {
  targets: Targets;
  indoorTargets: IndoorTargets;
  /** °C. */
  indoorTempC: number;
  /** Even the lightest clothing is too warm. */
  isHotRegime: boolean;
  /** What was assumed, or is doubtful. */
  diagnostics: Diagnostic[];
}
