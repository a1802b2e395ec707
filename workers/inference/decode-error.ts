/** The image cannot be decoded: it is damaged, truncated, or not in the format its first bytes claim. */
export class DecodeError extends Error {
  constructor(reason?: unknown) {
    super('The image cannot be decoded', { cause: reason });
    this.name = 'DecodeError';
  }
}
