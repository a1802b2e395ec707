import { z } from 'zod';
import { PROBLEMS, Problem, type ProblemType } from '../problem.ts';

/**
 * Problems cross the queue as text, since BullMQ keeps of a failed job only its error's message.
 */
const Refusal = z.object({
  type: z.custom<ProblemType>((type) => typeof type === 'string' && type in PROBLEMS),
  detail: z.string(),
  errors: z.array(z.looseObject({ pointer: z.string(), detail: z.string() })).optional(),
});

/** A problem as the message of a failed job. */
export const writeRefusal = ({ type, detail, errors }: Problem): string =>
  JSON.stringify({ type, detail, errors });

/** The problem behind a failed job's message, or nothing where the job failed by accident. */
export function readRefusal(message: string): Problem | undefined {
  if (!message.startsWith('{')) return undefined;
  try {
    const { type, detail, errors } = Refusal.parse(JSON.parse(message));
    return new Problem(type, detail, errors && { errors });
  } catch {
    return undefined; // another error's message that happens to begin with a brace
  }
}
