import { z } from 'zod';
import { CutOutOptions, KeptAlpha } from '../output/options.ts';
import { CutOutReview } from '../output/review.ts';
import { RulesReport } from '../output/rules/verdicts.ts';
import { PROBLEMS } from '../platform/problem.ts';

/*
 * Messages between `selvage remove --local` (src/cli/images) and the process it starts to remove backgrounds
 * without a server (workers/local), over Node's IPC. Here because both sides import it.
 */

export const LocalRequest = z.object({
  id: z.number(),
  /** Paths. `output` is written whole or not at all. */
  input: z.string(),
  output: z.string(),
  /** Path of an image behind the subject. */
  background: z.string().optional(),
  options: CutOutOptions,
});
export type LocalRequest = z.infer<typeof LocalRequest>;

const TYPES = Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[];

/** First that the process is ready, or why it cannot be; then the outcome of each image. */
export const LocalEvent = z.union([
  z.object({
    ready: z.object({
      model: z.string(),
      device: z.string(),
      /** Why a GPU is there and not in use. */
      fallback: z.string().optional(),
    }),
  }),
  z.object({ refused: z.string() }),
  z.object({
    id: z.number(),
    done: z.object({
      bytes: z.number(),
      model: z.string(),
      confidence: z.number(),
      review: CutOutReview,
      rules: RulesReport.optional(),
      alpha: KeptAlpha,
    }),
  }),
  z.object({ id: z.number(), problem: z.object({ type: z.enum(TYPES), detail: z.string() }) }),
]);
export type LocalEvent = z.infer<typeof LocalEvent>;
