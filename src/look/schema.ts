import { z } from 'zod';
import { Occasion } from '../taxonomy/attributes/wardrobe-item-schema.ts';
import { LocaleTag } from '../taxonomy/dictionary/locales.ts';
import { BASES } from './coefficients.ts';
import { CONDITIONS, COVERAGES, THERMAL_PROFILES } from './tables.ts';
import { Weather } from './weather-input.ts';

export type { Condition, ThermalProfile } from './tables.ts';
export { Weather } from './weather-input.ts';

const ConditionId = z.enum(CONDITIONS);

export const Met = z
  .number()
  .min(0.7)
  .max(7)
  .meta({ id: 'Met', description: 'Activity, met; 1 is sitting' });

const ThermalProfileId = z.enum(THERMAL_PROFILES);

export const perRegion = (value: z.ZodNumber) =>
  z.strictObject({
    top: value.optional(),
    bottom: value.optional(),
    feet: value.optional(),
    hands: value.optional(),
    head: value.optional(),
  });

const RegionOffsets = perRegion(z.number().min(-3).max(3)).meta({ id: 'RegionOffsets' });
export type RegionOffsets = z.infer<typeof RegionOffsets>;

const Learning = z.looseObject({
  n: z.number().int().min(0).max(1_000_000),
  variance: z.number().min(0.05).max(25),
  regionVariance: perRegion(z.number().min(0.05).max(9)).optional(),
  model: z.string().max(32),
});

export const CoverageList = z
  .array(z.enum(COVERAGES))
  .max(COVERAGES.length)
  .meta({ id: 'Coverage', description: 'Parts of the body that every outfit covers' })
  .optional();

export const UserProfile = z
  .looseObject({
    version: z.literal(1).optional(),
    thermalProfile: ThermalProfileId.optional(),
    offsetC: z.number().min(-6).max(6).optional().meta({
      description:
        'K by which the person feels cold sooner than most; takes precedence over the label',
    }),
    sensitivity: z.number().min(0.5).max(2).optional(),
    regionOffsetC: RegionOffsets.optional(),
    coverage: CoverageList,
    coldHands: z.boolean().optional(),
    coldFeet: z.boolean().optional(),
    learning: Learning.optional(),
  })
  .meta({ id: 'UserProfile', description: 'Unknown fields are returned unchanged' });
export type UserProfile = z.infer<typeof UserProfile>;

/** Fields of every request that targets are computed from. */
export const targetFields = {
  weather: Weather,
  met: Met,
  userProfile: UserProfile.optional(),
  cloOffset: z.number().min(-1.5).max(1.5).optional().meta({ description: 'clo to add' }),
  occasion: Occasion.optional(),
  indoorTempC: z.number().min(5).max(40).optional(),
};

export const TargetsRequest = z
  .strictObject({ ...targetFields, locale: LocaleTag.optional() })
  .meta({ id: 'TargetsRequest' });
export type TargetsRequest = z.infer<typeof TargetsRequest>;

const clo = z.number().min(0);
export const RegionalTargets = z
  .strictObject({
    top: clo,
    outerwear: clo,
    dress: clo,
    bottom: clo,
    shoes: clo,
    accessory: clo,
  })
  .meta({ id: 'RegionalTargets', description: 'Sums of Iclu, clo; do not add them up' });
export type RegionalTargets = z.infer<typeof RegionalTargets>;

/** Where an outfit is worn. */
export const PlanId = z.enum(['indoor', 'outdoor']);

/** All inputs of the targets: `/score` computes the targets again from them. */
const TargetInputs = z.strictObject({
  condition: ConditionId,
  isDay: z.boolean(),
  offsetC: z.number(),
  sensitivity: z.number(),
  regionOffsetC: perRegion(z.number()),
  cloOffset: z.number(),
  occasion: z.string().nullable(),
  indoorTempC: z.number().nullable(),
  plan: PlanId.optional().meta({ description: 'Absent if /targets issued them' }),
});

export const Targets = z
  .strictObject({
    tempC: z.number(),
    windMs: z.number(),
    humidityPct: z.number(),
    met: z.number(),
    iA: z.number().meta({ description: 'Boundary air layer, clo' }),
    kHumidity: z.number().meta({ description: 'Vapour gradient relative to that at 50 % RH' }),
    hEff: z.number().meta({ description: 'Dry heat the clothing must pass, W/m²' }),
    regionalTargets: RegionalTargets,
    thermalProfile: ThermalProfileId,
    total: z.strictObject({
      iclRequired: z.number(),
      iclResultant: z.number(),
      sumIclu: z.number(),
      iclRaw: z.number(),
      capped: z.boolean(),
      floored: z.boolean(),
    }),
    inputs: TargetInputs,
    paramsVersion: z.string(),
    digest: z.string().meta({ description: 'Signature of the targets; send them unchanged' }),
  })
  .meta({ id: 'Targets' });
export type Targets = z.infer<typeof Targets>;

export const IndoorTargets = z
  .strictObject({
    tempC: z.number(),
    met: z.number(),
    regionalTargets: RegionalTargets,
    total: z.strictObject({ iclRequired: z.number() }),
  })
  .partial()
  .meta({ id: 'IndoorTargets', description: 'Empty for the plan `outdoor`' });
export type IndoorTargets = z.infer<typeof IndoorTargets>;

export const Diagnostic = z
  .strictObject({
    code: z.string(),
    slot: z.string().optional(),
    itemIds: z.array(z.string()).optional(),
    detail: z.string(),
  })
  .meta({
    id: 'Diagnostic',
    description: 'What was assumed, why items were excluded, or why there is no outfit',
  });
export type Diagnostic = z.infer<typeof Diagnostic>;

const targetsResponseFields = {
  targets: Targets,
  indoorTargets: IndoorTargets,
  indoorTempC: z.number(),
  isHotRegime: z.boolean(),
  diagnostics: z.array(Diagnostic),
};
export const TargetsResponse = z
  .strictObject(targetsResponseFields)
  .meta({ id: 'TargetsResponse' });
export type TargetsResponse = z.infer<typeof TargetsResponse>;

export const ParamsResponse = z
  .strictObject({
    version: z.string(),
    model: z.string(),
    issued: z.iso.date(),
    supportedTargetVersions: z.array(z.string()),
    coefficients: z.array(
      z.strictObject({
        key: z.string(),
        value: z.number(),
        unit: z.string(),
        basis: z.enum(BASES),
        source: z.string(),
      }),
    ),
    tables: z.record(
      z.string(),
      z.strictObject({
        unit: z.string(),
        basis: z.enum(BASES),
        source: z.string(),
        rows: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]),
      }),
    ),
    equations: z.array(z.strictObject({ id: z.string(), text: z.string() })),
  })
  .meta({ id: 'ParamsResponse' });
