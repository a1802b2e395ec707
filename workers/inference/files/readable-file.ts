/** An image file as a decoder gets it: what decoders need is at its place, and damage of which they say nothing is found. */
export interface ReadableFile {
  bytes: Uint8Array;
  /** From where on the decoder gives up. */
  failOn: 'warning' | 'error';
  /** Whether something is wrong although all rows may be there. */
  isDamaged: boolean;
  /** Whether rows are decoded one after the other, so that it can be told which is the last. */
  isByRows: boolean;
  /** The file with its end mended; undefined if nothing is wrong there. For files that a decoder refuses. */
  mended?(): Uint8Array | undefined;
  /** As much of the file as shows all rows, if coarsely. */
  coarse?: Uint8Array | undefined;
  /** The file without its last bytes, which cannot be decoded if those before belong to the picture. */
  shortened?: Uint8Array | undefined;
}

/** The image cannot be decoded: it is damaged, truncated, or not in the format its first bytes claim. */
export class DecodeError extends Error {
  /** @param detail what is wrong with the image; the message after `The image ` */
  constructor(detail = 'cannot be decoded: it is damaged or cut short', cause?: unknown) {
    super(detail, { cause });
    this.name = 'DecodeError';
  }
}
