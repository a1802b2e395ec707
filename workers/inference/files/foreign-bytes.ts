const TEXT = new Uint8Array(256).fill(1, 0x20, 0x7f);
for (const space of '\t\n\r') TEXT[space.charCodeAt(0)] = 1;

/** Compressed data has a run of text this long once in 10^13 bytes, flat areas aside. */
const MIN_TEXT_BYTES = 32;
/** Flat areas are compressed to few bytes again and again. */
const MIN_LETTERS = 12;
const ZEROS = Buffer.alloc(256);
const STEP = MIN_TEXT_BYTES / 2;

/**
 * Returns where text begins in compressed data, such as the error page of a server that broke off; undefined if there is
 * none. Of 16 bytes four are looked at, and more only where all of them are letters.
 */
export function foreignTextIn(bytes: Uint8Array, from: number, to: number): number | undefined {
  const isText = (at: number) => TEXT[bytes[at]!] === 1;
  for (let at = from; at < to; at += STEP) {
    if (!isText(at) || !isText(at + 5) || !isText(at + 10) || !isText(at + 15)) continue;
    let start = at;
    while (start > from && isText(start - 1)) start--;
    while (at + 1 < to && isText(at + 1)) at++;
    const text = bytes.subarray(start, at + 1);
    if (text.length >= MIN_TEXT_BYTES && new Set(text.subarray(0, 1024)).size >= MIN_LETTERS)
      return start;
  }
  return undefined;
}

/** Returns whether a stretch of zeros lies in compressed data, as where a file was lost. Some flat areas have one, too. */
export const hasZerosIn = ({ buffer, byteOffset }: Uint8Array, from: number, to: number): boolean =>
  Buffer.from(buffer, byteOffset + from, to - from).includes(ZEROS);

const [LF, CR] = [0x0a, 0x0d];
/** Line ends of compressed data that all follow a carriage return by chance: once in 10^38 files. */
const MIN_LINE_ENDS = 16;

/** Whether a carriage return was put before each line feed, as FTP does in text mode. */
export function hasChangedLineEnds(bytes: Uint8Array): boolean {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR) return false;
    count += 1;
  }
  return count >= MIN_LINE_ENDS;
}
