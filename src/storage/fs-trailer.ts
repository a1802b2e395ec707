import { z } from 'zod';
import { UNNAMED_MEDIA_TYPE } from './blob-rules.ts';
import type { BlobFacts } from './blobs.ts';

/**
 * The end of a blob's file: its facts as JSON, how many bytes that is (32 bits, little-endian), and
 * a mark. Image viewers stop before it, and a file that lacks it was not written to the end.
 */
const MARK = Buffer.from('SLVG');
const TAIL_BYTES = 4 + MARK.length;

/** Room for 1.5 KiB of facts, all of it names of one character, and a long media type. */
export const TRAILER_MAX_BYTES = 8192;

const Facts = z.object({ mediaType: z.string(), meta: z.record(z.string(), z.string()) });

/** The bytes that follow a blob's own in its file. */
export function writeTrailer({ mediaType = UNNAMED_MEDIA_TYPE, meta = {} }: BlobFacts): Buffer {
  const facts = Buffer.from(JSON.stringify({ mediaType, meta } satisfies z.infer<typeof Facts>));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(facts.length);
  return Buffer.concat([facts, length, MARK]);
}

/**
 * Reads the trailer of a file.
 * @param end the file, or at least its last `TRAILER_MAX_BYTES`
 * @returns the facts and how many bytes of `end` stand before them, or nothing where `end` does not
 *   end in a trailer
 */
export function readTrailer(end: Buffer) {
  const tailAt = end.length - TAIL_BYTES;
  if (tailAt < 0 || !end.subarray(tailAt + 4).equals(MARK)) return undefined;
  const bodyBytes = tailAt - end.readUInt32LE(tailAt);
  const facts = bodyBytes >= 0 && parseFacts(end.toString('utf8', bodyBytes, tailAt));
  return facts ? { bodyBytes, facts } : undefined;
}

function parseFacts(json: string): z.infer<typeof Facts> | undefined {
  try {
    return Facts.parse(JSON.parse(json));
  } catch {
    return undefined; // whatever is wrong with it, it is not what `writeTrailer` wrote
  }
}
