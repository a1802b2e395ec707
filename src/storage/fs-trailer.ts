import { z } from 'zod';
import { DEFAULT_MEDIA_TYPE } from './blob-rules.ts';
import type { BlobMetadata } from './blobs.ts';

/**
 * The trailer of a blob's file: its metadata as JSON, the length of that in bytes (32 bits, little-endian),
 * and a magic number. Image viewers ignore it; a file without it is incomplete.
 */
const MAGIC = Buffer.from('SLVG');
const TAIL_BYTES = 4 + MAGIC.length;

/** Enough for 1.5 KiB of metadata with names of one character each, and a long media type. */
export const TRAILER_MAX_BYTES = 8192;

const Metadata = z.object({ mediaType: z.string(), meta: z.record(z.string(), z.string()) });

/** Returns the bytes that follow those of the blob in its file. */
export function writeTrailer({ mediaType = DEFAULT_MEDIA_TYPE, meta = {} }: BlobMetadata): Buffer {
  const json = Buffer.from(JSON.stringify({ mediaType, meta } satisfies z.infer<typeof Metadata>));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([json, length, MAGIC]);
}

/**
 * Reads the trailer of a file.
 * @param end the file, or at least its last `TRAILER_MAX_BYTES`
 * @returns the metadata and how many bytes of `end` precede it, or nothing if there is no trailer
 */
export function readTrailer(end: Buffer) {
  const tailAt = end.length - TAIL_BYTES;
  if (tailAt < 0 || !end.subarray(tailAt + 4).equals(MAGIC)) return undefined;
  const bodyBytes = tailAt - end.readUInt32LE(tailAt);
  const metadata = bodyBytes >= 0 && parseMetadata(end.toString('utf8', bodyBytes, tailAt));
  return metadata ? { bodyBytes, metadata } : undefined;
}

function parseMetadata(json: string): z.infer<typeof Metadata> | undefined {
  try {
    return Metadata.parse(JSON.parse(json));
  } catch {
    return undefined; // not written by `writeTrailer`
  }
}
