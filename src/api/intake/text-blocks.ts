const BLOCK_CHARS = 64 * 1024;

/** Joins pieces of text, such as lines, to larger blocks of bytes. */
export async function* textBlocks(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < BLOCK_CHARS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text) yield Buffer.from(text);
}
