import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { FEED_LIMITS } from '../../../feed-formats/limits.ts';
import { type BodyStream, collectBody } from '../../../http/body-stream.ts';
import { parse } from '../../../http/parse.ts';
import { writeSourceFacts } from '../../../intake/feeds/feed-source.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Blobs } from '../../../storage/blobs.ts';
import { type CreateFeedRequest, FeedJson, requestFromJson } from './request.ts';

/** More JSON than this describes no feed. */
const JSON_BYTES = 64 * 1024;

type Bytes = Extract<BodyStream, { kind: 'bytes' }>;

/** @throws Problem unsupported-media-type where it is a form */
export function plainBody(body: BodyStream): Bytes {
  if (body.kind === 'bytes') return body;
  throw new Problem('unsupported-media-type', 'Send the feed itself as the body, not a form');
}

/** @throws Problem invalid-request, payload-too-large */
export async function readFeedJson({ stream }: Bytes): Promise<CreateFeedRequest> {
  const text = (await collectBody(stream, JSON_BYTES)).toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Problem('invalid-request', 'The body is not valid JSON', { cause });
  }
  return requestFromJson(parse(FeedJson, value, 'body'));
}

async function* counted(stream: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.length;
    if (bytes > FEED_LIMITS.maxBytes) {
      const detail = `The feed is larger than ${FEED_LIMITS.maxBytes} bytes`;
      throw new Problem('payload-too-large', detail);
    }
    hash.update(piece);
    yield piece;
  }
}

/**
 * Stores a feed that is sent, as it comes.
 * @returns its sha256, hex
 * @throws Problem payload-too-large; as the body's stream throws
 */
export async function storeDocument(
  blobs: Blobs,
  key: string,
  { mediaType, charset, stream }: Bytes,
  fileName: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  const type = charset ? `${mediaType}; charset=${charset}` : mediaType;
  const facts = writeSourceFacts({ mediaType: type, fileName });
  await blobs.put(key, Readable.from(counted(stream, hash)), facts, signal);
  return hash.digest('hex');
}
