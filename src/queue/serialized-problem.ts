import { z } from 'zod';
import { PROBLEMS, Problem, type ProblemType } from '../platform/problem.ts';

/**
 * Problems cross the queue as text, since BullMQ keeps of a failed job only its error's message.
 */
const SerializedProblem = z.object({
  type: z.custom<ProblemType>((type) => typeof type === 'string' && type in PROBLEMS),
  detail: z.string(),
  errors: z.array(z.looseObject({ pointer: z.string(), detail: z.string() })).optional(),
});

/** A problem as the message of a failed job. */
export const serializeProblem = ({ type, detail, errors }: Problem): string =>
  JSON.stringify({ type, detail, errors });

/** The problem behind a failed job's message, or nothing where the job failed by accident. */
export function deserializeProblem(message: string): Problem | undefined {
  if (!message.startsWith('{')) return undefined;
  try {
    const { type, detail, errors } = SerializedProblem.parse(JSON.parse(message));
    return new Problem(type, detail, errors && { errors });
  } catch {
    return undefined; // another error's message that happens to begin with a brace
  }
}
