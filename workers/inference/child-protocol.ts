import type { Writable } from 'node:stream';
import { z } from 'zod';
import { CutOutOptions } from '../../src/output/options.ts';
import { Stroke } from '../../src/output/strokes.ts';
import { Region } from '../../src/taxonomy/dictionary/schema.ts';

/** Settings of a child, passed through its environment. */
export const ChildOptions = z.object({
  /** Catalogue id of the background removal model. */
  model: z.string(),
  device: z.enum(['auto', 'cpu', 'cuda', 'webgpu']),
  maxPixels: z.number(),
  /** Folder of the pulled models and the operator's own. */
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

/**
 * A message between the pool and a child, on a socket of their own: a JSON header and a raw body. Images are
 * large, so most of the cost of passing them on would be copying.
 */
export interface Frame {
  header: unknown;
  /** Memory of its own; empty if there is none. */
  body: Uint8Array;
}

/** The lengths of header and body, each 32 bits, little-endian. */
const PREFIX_BYTES = 8;
/** No image is larger: beyond it the other end is broken, and nothing is allocated for it. */
const MAX_BODY_BYTES = 2 ** 30;
const MAX_HEADER_BYTES = 2 ** 20;

/** Sends one frame. The body is not copied; it must not change until it is sent. */
export function writeFrame(
  to: Writable,
  header: object,
  body: Uint8Array = new Uint8Array(0),
): void {
  const json = Buffer.from(JSON.stringify(header));
  const front = Buffer.allocUnsafe(PREFIX_BYTES + json.length);
  front.writeUInt32LE(json.length, 0);
  front.writeUInt32LE(body.length, 4);
  front.set(json, PREFIX_BYTES);
  to.cork();
  to.write(front);
  if (body.length > 0) to.write(body);
  to.uncork();
}

/**
 * Assembles frames from received bytes, without copying if they are read into `nextBuffer`.
 * @param onFrame receives each frame, in order
 */
export class FrameReader {
  readonly #onFrame;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #header: Buffer | undefined;
  #body: Buffer | undefined;
  #target: Buffer;
  #offset = 0;

  constructor(onFrame: (frame: Frame) => void) {
    this.#onFrame = onFrame;
    this.#target = this.#prefix;
  }

  #fillNext(next: Buffer): void {
    this.#target = next;
    this.#offset = 0;
  }

  #beginFrame(): void {
    const headerBytes = this.#prefix.readUInt32LE(0);
    const bodyBytes = this.#prefix.readUInt32LE(4);
    if (headerBytes === 0 || headerBytes > MAX_HEADER_BYTES || bodyBytes > MAX_BODY_BYTES)
      throw new Error('The received bytes are not a frame');
    this.#header = Buffer.allocUnsafe(headerBytes);
    this.#body = Buffer.allocUnsafeSlow(bodyBytes);
    this.#fillNext(this.#header);
  }

  #endFrame(json: Buffer, complete: Buffer): void {
    this.#header = this.#body = undefined;
    this.#fillNext(this.#prefix);
    this.#onFrame({ header: JSON.parse(json.toString()), body: complete });
  }

  /** Says that `count` bytes were written to `nextBuffer`. Throws if they cannot be a frame. */
  advance(count: number): void {
    this.#offset += count;
    if (this.#offset < this.#target.length) return;
    if (!this.#header || !this.#body) this.#beginFrame();
    else if (this.#target === this.#header && this.#body.length > 0) this.#fillNext(this.#body);
    else this.#endFrame(this.#header, this.#body);
  }

  /** Where the next bytes belong; never empty. */
  readonly nextBuffer = (): Uint8Array => this.#target.subarray(this.#offset);

  /** Copies bytes received elsewhere. Throws like `advance`. */
  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      const count = Math.min(chunk.length - from, this.#target.length - this.#offset);
      this.#target.set(chunk.subarray(from, from + count), this.#offset);
      from += count;
      this.advance(count);
    }
  }
}
