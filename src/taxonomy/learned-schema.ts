import { z } from 'zod';

/** What people say of something that is no garment. */
export const NOT_A_GARMENT = 'none';

/** What people have decided about a client's articles of one shop category, or about the article itself. */
export const Learned = z
  .object({
    path: z.string().nullable().meta({
      description: "The shop's category, normalised; null: somebody decided about this very row",
    }),
    category: z.string().meta({ description: 'Id of a category, or `none` for no garment' }),
    decisions: z.number().int(),
    agreement: z.number().meta({ description: 'The share of the decisions that say so' }),
  })
  .meta({ id: 'LearnedEvidence' });
export type Learned = z.infer<typeof Learned>;
