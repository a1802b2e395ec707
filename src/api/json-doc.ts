import type { z } from 'zod';

export const jsonDoc = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': schema },
});
