import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { FEED_LIMITS } from '../../../feed-formats/limits.ts';
import { type BodyStream, collectBody } from '../../../http/body-stream.ts';
import { parse } from '../../../http/parse.ts';
import { writeSourceMetadata } from '../../../intake/feeds/feed-source.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Blobs } from '../../../storage/blobs.ts';
import { type CreateFeedRequest, FeedJson, requestFromJson } from './request.ts';

const MAX_JSON_BYTES = 64 * 1024;

type PlainBody = Extract<BodyStream, { kind: 'bytes' }>;

/** @throws Problem unsupported-media-type if the body is a form */
export function plainBody(body: BodyStream): PlainBody {
  if (body.kind === 'bytes') return body;
  throw new Problem('unsupported-media-type', 'Send the feed itself as the body, not a form');
}

/** @throws Problem invalid-request, payload-too-large */
export async function readFeedJson({ stream }: PlainBody): Promise<CreateFeedRequest> {
  const text = (await collectBody(stream, MAX_JSON_BYTES)).toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Problem('invalid-request', 'The body is not valid JSON', { cause });
  }
  return requestFromJson(parse(FeedJson, value, 'body'));
}

/** Passes the bytes through, updates their hash and enforces the size limit. */
async function* hashBytes(
  stream: AsyncIterable<Uint8Array>,
  hash: Hash,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > FEED_LIMITS.maxBytes) {
      const detail = `The feed is larger than ${FEED_LIMITS.maxBytes} bytes`;
      throw new Problem('payload-too-large', detail);
    }
    hash.update(chunk);
    yield chunk;
  }
}

/**
 * Streams an uploaded feed to storage.
 * @returns its SHA-256, hex
 * @throws Problem payload-too-large; as the body's stream throws
 */
export async function storeDocument(
  blobs: Blobs,
  key: string,
  { mediaType, charset, stream }: PlainBody,
  fileName: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  const type = charset ? `${mediaType}; charset=${charset}` : mediaType;
  const metadata = writeSourceMetadata({ mediaType: type, fileName });
  await blobs.put(key, Readable.from(hashBytes(stream, hash)), metadata, signal);
  return hash.digest('hex');
}
