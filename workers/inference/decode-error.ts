/** The image cannot be decoded: it is damaged, truncated, or not in the format its first bytes claim. */
export class DecodeError extends Error {
  /** @param detail what is wrong with the image; the message after `The image ` */
  constructor(detail = 'cannot be decoded: it is damaged or cut short', cause?: unknown) {
    super(detail, { cause });
    this.name = 'DecodeError';
  }
}
