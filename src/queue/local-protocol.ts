import { z } from 'zod';
import { CutOutOptions } from '../output/quality.ts';
import { PROBLEMS } from '../platform/problem.ts';

/** What the command line tells the process that cuts out without a server: one photo. */
export const LocalRequest = z.object({
  id: z.number(),
  /** Paths; `output` is written, or nothing is. */
  input: z.string(),
  output: z.string(),
  /** A picture behind the subject. */
  background: z.string().optional(),
  options: CutOutOptions,
});
export type LocalRequest = z.infer<typeof LocalRequest>;

const TYPES = Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[];

/** What that process tells: that it is ready or why it cannot be, then what became of each photo. */
export const LocalEvent = z.union([
  z.object({ ready: z.object({ model: z.string(), device: z.string() }) }),
  z.object({ refused: z.string() }),
  z.object({
    id: z.number(),
    done: z.object({ bytes: z.number(), model: z.string(), confidence: z.number() }),
  }),
  z.object({ id: z.number(), problem: z.object({ type: z.enum(TYPES), detail: z.string() }) }),
]);
export type LocalEvent = z.infer<typeof LocalEvent>;
