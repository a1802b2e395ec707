import type { Writable } from 'node:stream';

/**
 * What crosses between the pool and a child, on a socket of their own: words as JSON, and bytes as they
 * are, since pictures are large and copying them is most of what handing them over costs.
 */
export interface Frame {
  words: unknown;
  /** Memory of its own; empty where there are none. */
  bytes: Uint8Array;
}

/** Two lengths, words and bytes, each 32 bits, low byte first. */
const HEAD_BYTES = 8;
/** More is no picture: the other end has lost its mind, and its memory is not ours to fill. */
const MAX_BYTES = 2 ** 30;
const MAX_WORDS_BYTES = 2 ** 20;

/** Sends one frame. The bytes are not copied, and must stay as they are until they are gone. */
export function writeFrame(
  to: Writable,
  words: object,
  bytes: Uint8Array = new Uint8Array(0),
): void {
  const text = Buffer.from(JSON.stringify(words));
  const front = Buffer.allocUnsafe(HEAD_BYTES + text.length);
  front.writeUInt32LE(text.length, 0);
  front.writeUInt32LE(bytes.length, 4);
  front.set(text, HEAD_BYTES);
  to.cork();
  to.write(front);
  if (bytes.length > 0) to.write(bytes);
  to.uncork();
}

/** Puts frames together from what arrives, in memory that is theirs from the first byte. */
export interface FrameReader {
  /** Where the next bytes belong; never empty. */
  room(): Uint8Array;
  /** So many bytes have been put there. Throws where they cannot be of a frame. */
  filled(count: number): void;
  /** Takes what arrived elsewhere. Throws as `filled`. */
  take(chunk: Uint8Array): void;
}

/** @param heard gets each frame, in the order they came */
export function createFrameReader(heard: (frame: Frame) => void): FrameReader {
  const head = Buffer.alloc(HEAD_BYTES);
  let words: Buffer | undefined;
  let bytes: Buffer | undefined;
  let part: Buffer = head;
  let at = 0;

  function begin(next: Buffer): void {
    part = next;
    at = 0;
  }
  function openWords(): void {
    const [wordsBytes, bytesBytes] = [head.readUInt32LE(0), head.readUInt32LE(4)];
    if (wordsBytes === 0 || wordsBytes > MAX_WORDS_BYTES || bytesBytes > MAX_BYTES)
      throw new Error('What arrived is no frame');
    words = Buffer.allocUnsafe(wordsBytes);
    bytes = Buffer.allocUnsafeSlow(bytesBytes);
    begin(words);
  }
  function finish(text: Buffer, body: Buffer): void {
    words = bytes = undefined;
    begin(head);
    heard({ words: JSON.parse(text.toString()), bytes: body });
  }
  function filled(count: number): void {
    at += count;
    if (at < part.length) return;
    if (!words || !bytes) openWords();
    else if (part === words && bytes.length > 0) begin(bytes);
    else finish(words, bytes);
  }
  return {
    room: () => part.subarray(at),
    filled,
    take(chunk) {
      for (let from = 0; from < chunk.length; ) {
        const count = Math.min(chunk.length - from, part.length - at);
        part.set(chunk.subarray(from, from + count), at);
        from += count;
        filled(count);
      }
    },
  };
}
