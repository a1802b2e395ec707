/**
 * The JSON that the service accepts and returns. The names are those of its OpenAPI document
 * (`GET /openapi.json`), which has every rule. Units are part of names or stand in the comments:
 * `clo` is clothing insulation (1 clo = 0.155 m²·K/W), `met` is activity (1 met = 58.2 W/m²).
 * Dates are ISO 8601 in UTC. A `share`, a `confidence` and a rating are numbers from 0 to 1.
 */

export type * from './contract/batches.ts';
export type * from './contract/calibration.ts';
export type * from './contract/classification.ts';
export type * from './contract/day.ts';
export type * from './contract/dictionary.ts';
export type * from './contract/duplicates.ts';
export type * from './contract/feeds.ts';
export type * from './contract/forecast.ts';
export type * from './contract/garment-words.ts';
export type * from './contract/jobs.ts';
export type * from './contract/meta.ts';
export type * from './contract/outfit.ts';
export type * from './contract/outfits.ts';
export type * from './contract/presets.ts';
export type * from './contract/removal.ts';
export type * from './contract/review.ts';
export type * from './contract/rules.ts';
export type * from './contract/sources.ts';
export type * from './contract/targets.ts';
export type * from './contract/trip.ts';
export type * from './contract/usage.ts';
export type * from './contract/wardrobe-item.ts';
