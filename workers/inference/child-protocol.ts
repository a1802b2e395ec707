import { z } from 'zod';
import { CutOutOptions } from '../../src/output/options.ts';
import { Stroke } from '../../src/output/strokes.ts';
import { Region } from '../../src/taxonomy/dictionary/schema.ts';

/** Settings of a child, passed through its environment. */
export const ChildOptions = z.object({
  model: z.string(),
  device: z.enum(['auto', 'cpu', 'cuda', 'webgpu']),
  maxPixels: z.number(),
  modelsHome: z.string(),
  threads: z.number(),
  /** Images one child works on at once, to run them through the network together. */
  batch: z.number(),
  /** Whether it warms up if it has no work after its start. */
  warmUp: z.boolean(),
});
export type ChildOptions = z.infer<typeof ChildOptions>;

export const OPTIONS_VARIABLE = 'SELVAGE_ENGINE';

/** File descriptor of the socket to the pool, next to the three standard streams. */
export const SOCKET_FD = 3;

/** A task for a child; the image is the body of the frame. */
export const TaskRequest = z.object({
  task: z.enum(['cut-out', 'refinement', 'garment-view', 'outfit', 'marketplace-picture']),
  /** For `marketplace-picture`, `#rrggbb`; transparent if absent. */
  background: z.string().optional(),
  /** For `outfit`: whether the response has the cut-outs of its garments, one after the other. */
  cutouts: z.boolean().optional(),
  /** For `cut-out` and `refinement`; of them `quality` also for `outfit`. */
  options: CutOutOptions.optional(),
  /** For `cut-out`; see `CutOutSettings`. */
  region: Region.optional(),
  /** For `refinement`. */
  strokes: z.array(Stroke).optional(),
  /** Length of the image in the body, if its background image or its alpha follows it there. */
  imageBytes: z.number().optional(),
});
export type TaskRequest = z.infer<typeof TaskRequest>;

/** Header of a frame sent to a child. */
export const ChildRequest = TaskRequest.extend({ id: z.number() });
export type ChildRequest = z.infer<typeof ChildRequest>;

/** What a child reports after loading its model. */
export const ChildReady = z.object({
  model: z.object({ id: z.string(), version: z.string() }),
  /** The parse network, which is loaded when it is needed. */
  parser: z.object({ id: z.string(), version: z.string() }),
  device: z.string(),
  /** Why a device that was to be tried first is not in use. */
  fallback: z.string().optional(),
});
export type ChildReady = z.infer<typeof ChildReady>;

/** A serialized error. */
const ChildError = z.object({ name: z.string(), message: z.string() });
export type ChildError = z.infer<typeof ChildError>;

/** The id of the first response: the child is ready, or cannot start. */
export const START_ID = 0;

/** Header of a frame sent by a child. */
export const ChildResponse = z.union([
  z.object({ id: z.number(), error: ChildError }),
  z.object({ id: z.number(), result: z.looseObject({}), batchSize: z.number() }),
]);
export type ChildResponse = z.infer<typeof ChildResponse>;
