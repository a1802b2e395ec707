import { z } from 'zod';
import { PROBLEMS, Problem, type ProblemType } from '../platform/problem.ts';

/** Problems pass through the queue as JSON text: BullMQ stores only the message of a failed job's error. */
const SerializedProblem = z.object({
  type: z.custom<ProblemType>((type) => typeof type === 'string' && type in PROBLEMS),
  detail: z.string(),
  errors: z.array(z.looseObject({ pointer: z.string(), detail: z.string() })).optional(),
});

/** Returns a problem as the error message of a failed job. */
export const serializeProblem = ({ type, detail, errors }: Problem): string =>
  JSON.stringify({ type, detail, errors });

/** Returns the problem in a failed job's message, or nothing if the job failed for another reason. */
export function deserializeProblem(message: string): Problem | undefined {
  if (!message.startsWith('{')) return undefined;
  try {
    const { type, detail, errors } = SerializedProblem.parse(JSON.parse(message));
    return new Problem(type, detail, errors && { errors });
  } catch {
    return undefined; // another error's message that starts with a brace
  }
}
