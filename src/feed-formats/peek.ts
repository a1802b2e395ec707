/**
 * Reads the beginning of a source.
 * @param isEnough whether it is known what had to be known
 * @returns the beginning, and everything: it throws where the source does
 */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  isEnough: (head: Buffer) => boolean,
): Promise<{ head: Buffer; all: AsyncGenerator<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  const read = () => iterator.next().catch((error: unknown) => ({ error }));
  let head = Buffer.alloc(0);
  let next = await read();
  while (!('error' in next) && !next.done) {
    head = Buffer.concat([head, next.value]);
    if (isEnough(head)) break;
    next = await read();
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > 0) yield head;
      if ('error' in next) throw next.error;
      let result = next;
      while (!result.done) {
        result = await iterator.next();
        if (!result.done) yield result.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { head, all: all() };
}
