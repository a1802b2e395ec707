/** The picture cannot be decoded: damaged, cut short, or not what its first bytes say. */
export class Undecodable extends Error {
  constructor(reason?: unknown) {
    super('The picture cannot be decoded', { cause: reason });
    this.name = 'Undecodable';
  }
}
