import { posix } from 'node:path';

const MAX_SEGMENT_BYTES = 240;
const MAX_NAME_BYTES = 900;
/** Control characters, and what Unicode has no character for. */
const UNSAFE = /[\p{Cc}\p{Cs}\\]/u;

/**
 * Returns why an object gets no result, or nothing: its name becomes that of a file or of another object.
 * @param name below the prefix or folder of its source
 */
export function nameProblem(name: string): string | undefined {
  if (UNSAFE.test(name)) return 'The name has a control character or a backslash; rename it';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return 'The name is too long; shorten it';
  for (const segment of name.split('/')) {
    if (['', '.', '..'].includes(segment)) {
      return 'The name has an empty segment, "." or ".."; rename it';
    }
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) {
      return 'A part of the name is too long; shorten it';
    }
  }
  return undefined;
}

/** Returns the names that a result may have, the best first, without the extension of its format. */
export function outputNames(name: string): [string, string] {
  const { dir, name: stem } = posix.parse(name);
  // `a.jpg` and `a.jpeg` cannot both become `a.png`.
  return [posix.join(dir, stem), name];
}
