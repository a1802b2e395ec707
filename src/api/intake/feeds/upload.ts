import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { FEED_LIMITS } from '../../../feed-formats/chunk.ts';
import { expandFeed } from '../../../feed-formats/expand.ts';
import { FeedError } from '../../../feed-formats/feed-error.ts';
import { inspectFeed } from '../../../feed-formats/inspect.ts';
import type { Gateway } from '../../../gateway.ts';
import { type BodyStream, collectBody } from '../../../http/body-stream.ts';
import { parseJson } from '../../../http/json-body.ts';
import { parse } from '../../../http/parse.ts';
import type { Call, Reply } from '../../../http/route.ts';
import { writeSourceMetadata } from '../../../intake/feeds/feed-keys.ts';
import { toParseOptions } from '../../../intake/feeds/feeds.ts';
import type {
  BytesAllowance,
  BytesReservation,
  StoredBytes,
} from '../../../intake/stored-bytes.ts';
import { Problem } from '../../../platform/problem.ts';
import type { CreateFeedRequest, FeedQuery, InspectQuery } from './request.ts';
import { FeedJson, requestFromJson } from './request.ts';

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
  return requestFromJson(parse(FeedJson, parseJson(text), 'body'));
}

/** Passes the bytes through, updates their hash and enforces the size limit. */
async function* hashBytes(stream: AsyncIterable<Uint8Array>, hash: Hash) {
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

/** How many bytes are counted at a time, while a feed arrives. */
const COUNTED_BYTES = 4 * 1024 * 1024;

/** Counts a client's bytes as they arrive: nothing is stored that is not counted. */
function createByteCount(storedBytes: StoredBytes, allowance: BytesAllowance) {
  const reservations: BytesReservation[] = [];
  return {
    /** Passes the bytes through. @throws Problem quota-exceeded, upstream-unavailable */
    async *count(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      let uncounted = 0;
      for await (const chunk of stream) {
        uncounted += chunk.length;
        if (uncounted >= COUNTED_BYTES) {
          reservations.push(await storedBytes.reserve(allowance, uncounted));
          uncounted = 0;
        }
        yield chunk;
      }
      reservations.push(await storedBytes.reserve(allowance, uncounted));
    },
    async release(): Promise<void> {
      await Promise.allSettled(reservations.map(storedBytes.release));
    },
  };
}

/**
 * Streams an uploaded feed to storage. Returns its hash, hex, and what deletes it again, as far as possible, and counts its
 * bytes no more.
 * @throws Problem payload-too-large, quota-exceeded; as the body's stream throws
 */
export async function storeDocument(
  { blobs, storedBytes }: Pick<Gateway, 'blobs' | 'storedBytes'>,
  key: string,
  { contentType: mediaType, stream }: PlainBody,
  call: Pick<Call<FeedQuery>, 'caller' | 'query' | 'signal'>,
): Promise<{ sha256: string; discard(): Promise<void> }> {
  const hash = createHash('sha256');
  const metadata = writeSourceMetadata({ mediaType, fileName: call.query.fileName });
  const byteCount = createByteCount(storedBytes, call.caller);
  const body = Readable.from(byteCount.count(hashBytes(expandFeed(stream), hash)));
  try {
    await blobs.put(key, body, metadata, call.signal);
  } catch (error) {
    await byteCount.release();
    throw error instanceof FeedError ? new Problem('invalid-request', error.detail) : error;
  }
  return {
    sha256: hash.digest('hex'),
    async discard() {
      await Promise.allSettled([blobs.delete(key), byteCount.release()]);
    },
  };
}

/** Says what is recognised in a feed that is sent; nothing is stored. */
export async function inspect(call: Call<InspectQuery>): Promise<Reply> {
  const { stream, contentType } = plainBody(call.bodyStream());
  const { format, mapping, fileName } = call.query;
  const options = toParseOptions({ format, mapping }, { mediaType: contentType, fileName });
  return { status: 200, body: await inspectFeed(stream, options) };
}
