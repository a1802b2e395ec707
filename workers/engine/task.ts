import { z } from 'zod';

/** What a child needs to know before its first picture; given through its environment. */
export const ChildOptions = z.object({
  model: z.string(),
  device: z.enum(['auto', 'cpu', 'cuda', 'webgpu']),
  maxPixels: z.number(),
  modelsHome: z.string(),
  threads: z.number(),
});
export type ChildOptions = z.infer<typeof ChildOptions>;

export const OPTIONS_VARIABLE = 'SELVAGE_ENGINE';

/** One task of a child. */
export type Task = { kind: 'warm' } | { kind: 'cut-out' | 'view'; image: Uint8Array };

/** What a child answers when it is warm. */
export interface Warm {
  model: { id: string; version: string };
  device: string;
}
