import { z } from 'zod';
import { CutOutOptions } from '../../src/output/quality.ts';

/** What a child needs to know before its first picture; given through its environment. */
export const ChildOptions = z.object({
  model: z.string(),
  device: z.enum(['auto', 'cpu', 'cuda', 'webgpu']),
  maxPixels: z.number(),
  modelsHome: z.string(),
  threads: z.number(),
  /** Pictures one child works on at once, to run them through the network together. */
  batch: z.number(),
});
export type ChildOptions = z.infer<typeof ChildOptions>;

export const OPTIONS_VARIABLE = 'SELVAGE_ENGINE';

/** Where a child finds the socket to its pool, beside the three files every process has. */
export const SOCKET_FD = 3;

/** What a child does with a picture. */
export const Order = z.object({
  deed: z.enum(['cut-out', 'view', 'show']),
  /** Of `show`, `#rrggbb`; transparent without it. */
  background: z.string().optional(),
  /** Of `cut-out`. */
  options: CutOutOptions.optional(),
  /** Of `cut-out`: how many of the bytes are the picture, where those behind them are its background. */
  imageBytes: z.number().optional(),
});
export type Order = z.infer<typeof Order>;

/** The words of a picture sent to a child. */
export const Asked = Order.extend({ id: z.number() });
export type Asked = z.infer<typeof Asked>;

/** What a child tells when it has loaded its model. */
export const Warm = z.object({
  model: z.object({ id: z.string(), version: z.string() }),
  device: z.string(),
});
export type Warm = z.infer<typeof Warm>;

/** An error, told. */
const Fault = z.object({ name: z.string(), message: z.string() });
export type Fault = z.infer<typeof Fault>;

/** The id under which a child tells that it is warm, or why it cannot be. */
export const START_ID = 0;

/** The words of a child about one thing: what came of it, or why nothing did. */
export const Told = z.union([
  z.object({ id: z.number(), fault: Fault }),
  z.object({ id: z.number(), done: z.looseObject({}), batchSize: z.number() }),
]);
export type Told = z.infer<typeof Told>;
