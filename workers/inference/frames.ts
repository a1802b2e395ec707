import type { Writable } from 'node:stream';

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
