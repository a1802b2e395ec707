import type { z } from 'zod';

/** Documents a response that is JSON. */
export const jsonDoc = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': schema },
});
