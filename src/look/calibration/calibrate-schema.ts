import { z } from 'zod';
import { WardrobeItem } from '../../taxonomy/attributes/wardrobe-item-schema.ts';
import { Met, perRegion, UserProfile, Weather } from '../schema.ts';

const Vote = z.number().min(-3).max(3).meta({ description: '−3 cold, 0 neutral, 3 hot' });

const Worn = z
  .strictObject({
    items: z.array(WardrobeItem).min(1).max(20).optional(),
    icl: z.number().min(0.1).max(6).optional().meta({ description: 'Of the whole outfit, clo' }),
    windResistance: z.number().min(0).max(1).optional().meta({ description: 'With `icl`' }),
  })
  .refine(({ items, icl }) => (items === undefined) !== (icl === undefined), {
    message: 'Give either `items` or `icl`',
  });

const Feedback = z
  .strictObject({
    vote: Vote.optional(),
    preference: z.enum(['warmer', 'no-change', 'cooler']).optional(),
    regionVotes: perRegion(Vote).optional(),
    weather: Weather.optional(),
    met: Met,
    plan: z
      .enum(['indoor', 'outdoor'])
      .optional()
      .meta({ description: 'Where it was felt; default `indoor`' }),
    indoorTempC: z.number().min(5).max(40).optional(),
    minutes: z.number().min(1).max(1440).optional().meta({ description: 'Time spent there' }),
    worn: Worn,
  })
  .refine(({ vote, preference }) => vote !== undefined || preference !== undefined, {
    message: 'Give `vote` or `preference`',
  })
  .refine(({ plan, weather }) => plan !== 'outdoor' || weather !== undefined, {
    path: ['weather'],
    message: 'is required if `plan` is `outdoor`',
  })
  .refine(
    ({ plan, weather, indoorTempC }) =>
      plan === 'outdoor' || weather !== undefined || indoorTempC !== undefined,
    { path: ['indoorTempC'], message: 'is required if there is no `weather`' },
  );
export type Feedback = z.infer<typeof Feedback>;

export const CalibrateRequest = z
  .strictObject({
    userProfile: UserProfile.optional(),
    feedback: z.array(Feedback).min(1).max(100),
  })
  .meta({ id: 'CalibrateRequest' });
export type CalibrateRequest = z.infer<typeof CalibrateRequest>;

export const CalibrateResponse = z
  .strictObject({
    userProfile: UserProfile.meta({ description: 'Store it and send it with the next request' }),
    applied: z.array(
      z.strictObject({
        index: z.number().int(),
        predictedVote: z.number(),
        residual: z.number(),
        weight: z.number(),
        gain: z.number(),
        status: z.enum(['applied', 'downweighted', 'saturated']),
      }),
    ),
    summary: z.strictObject({
      offsetC: z.number(),
      offsetSd: z.number(),
      confidence: z.number().min(0).max(1),
      n: z.number().int(),
    }),
  })
  .meta({ id: 'CalibrateResponse' });
export type CalibrateResponse = z.infer<typeof CalibrateResponse>;
