import { z } from 'zod';
import { Diagnostic, IndoorTargets, PlanId, Targets } from './schema.ts';
import { SLOTS } from './wardrobe/ensemble.ts';

const fraction = z.number().min(0).max(1);
const ids = z.array(z.string());

const Form = z.enum(['separates', 'one-piece']);
const Slots = z.partialRecord(z.enum(SLOTS), z.string()).meta({ id: 'Slots' });

export const Candidate = z
  .strictObject({ id: z.string(), itemIds: ids, form: Form, slots: Slots })
  .meta({ id: 'Candidate' });

const wardrobeFields = {
  targets: Targets,
  indoorTargets: IndoorTargets,
  indoorTempC: z.number(),
  isHotRegime: z.boolean(),
  plan: PlanId,
  place: z
    .strictObject({
      met: z.number(),
      why: z.enum(['plan', 'occasion', 'activity', 'indoor-temperature', 'default']),
      text: z.string(),
    })
    .meta({ description: 'Why the outfits are for this plan, and the activity there' }),
  diagnostics: z.array(Diagnostic),
  truncated: z.boolean().meta({ description: 'Whether the search ended before it was complete' }),
  gap: z.number().min(0).meta({
    description: 'Points by which an outfit not found could be better; 0: proved optimal',
  }),
};

export const CandidatesResponse = z
  .strictObject({
    ...wardrobeFields,
    candidates: z.array(Candidate),
    totalValid: z.string().meta({ description: 'Exact number of valid outfits' }),
  })
  .meta({ id: 'CandidatesResponse' });
export type CandidatesResponse = z.infer<typeof CandidatesResponse>;

const Breakdown = z
  .strictObject({
    thermal: fraction,
    regions: fraction,
    protection: fraction,
    occasion: fraction,
    color: fraction,
    season: fraction,
    variety: fraction,
    penalty: z.number().min(0).meta({
      description: 'Share of the score lost to rules of common sense and to warmth nobody bears',
    }),
  })
  .meta({ id: 'ScoreBreakdown' });

const ThermalResponse = z
  .strictObject({
    plan: PlanId,
    icl: z.number(),
    iclTarget: z.number(),
    pmv: z.number(),
    pmvGoal: z.number(),
    deviation: z.number(),
    ppd: z.number(),
    wettedness: z.number().nullable(),
    exposureLimitH: z.number().nullable(),
    regions: z.record(z.string(), z.strictObject({ clo: z.number(), target: z.number() })),
  })
  .meta({ id: 'ThermalComfort' });

export const Explanation = z
  .strictObject({
    code: z.string(),
    text: z.string(),
    params: z.record(z.string(), z.union([z.number(), z.string()])),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof Explanation>;

export const Shell = z
  .strictObject({
    needed: z.boolean(),
    needClo: z.number(),
    needTotalIcl: z.number(),
    waterResistanceMin: fraction,
    windResistanceMin: fraction,
    items: z.array(
      z.strictObject({ itemId: z.string(), residualClo: z.number(), score: z.number() }),
    ),
    addIds: ids.meta({ description: 'Hat, scarf and gloves to wear with the first item' }),
    reasons: ids,
  })
  .meta({ id: 'Shell', description: 'What to put on for outside' });
export type Shell = z.infer<typeof Shell>;

const scoredFields = {
  score: z.number().min(0).max(100),
  breakdown: Breakdown,
  thermal: ThermalResponse,
  warnings: ids,
  explanation: z.array(Explanation),
  shell: Shell.nullable(),
};

export const Ranked = z
  .strictObject({ candidateId: z.string(), rank: z.number().int(), itemIds: ids, ...scoredFields })
  .meta({ id: 'RankedOutfit' });
export type Ranked = z.infer<typeof Ranked>;

export const ScoreResponse = z
  .strictObject({ ranked: z.array(Ranked), shell: Shell.nullable(), paramsVersion: z.string() })
  .meta({ id: 'ScoreResponse' });
export type ScoreResponse = z.infer<typeof ScoreResponse>;

export const Outfit = z
  .strictObject({
    id: z.string(),
    rank: z.number().int(),
    name: z.string(),
    itemIds: ids,
    form: Form,
    slots: Slots,
    ...scoredFields,
  })
  .meta({ id: 'Outfit' });
export type Outfit = z.infer<typeof Outfit>;

export const OutfitsResponse = z
  .strictObject({ ...wardrobeFields, outfits: z.array(Outfit), paramsVersion: z.string() })
  .meta({ id: 'OutfitsResponse' });
export type OutfitsResponse = z.infer<typeof OutfitsResponse>;
