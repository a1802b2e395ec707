import { Readable } from 'node:stream';
import { FairShare, type ShareRejection } from '../http/capacity.ts';
import type { Call, Reply } from '../http/route.ts';
import { Problem, unavailable } from '../platform/problem.ts';
import { clientOf } from '../storage/blob-keys.ts';
import type { BlobHead, Blobs, ByteRange } from '../storage/blobs.ts';
import { openBlob } from './common-problems.ts';
import { isFresh } from './document.ts';
import { verified } from './verified-blob.ts';

const DETAILS: Readonly<Record<ShareRejection, string>> = {
  full: 'This server is sending as many files as it has connections to storage for; try again',
  share: 'You are receiving more files at once than this server has connections for; ask for fewer',
};

/**
 * Limits the blobs that are open as streams, and divides them fairly among the clients they belong to: each holds a
 * connection to storage for as long as its reader takes. `open` then throws upstream-unavailable.
 * @param max open streams
 */
export function limitDownloads(blobs: Blobs, max: number): Blobs {
  const share = new FairShare(max);
  return {
    ...blobs,
    async open(key, signal, range) {
      const client = clientOf(key);
      const rejection = share.check(client, 1);
      if (rejection) throw unavailable(DETAILS[rejection]);
      share.add(client, 1);
      const release = () => share.add(client, -1);
      try {
        const stream = await blobs.open(key, signal, range);
        return stream.once('close', release);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

type Request = Pick<Call, 'method' | 'headers' | 'signal'>;

/** Some files come from retailers: a browser must not run anything in them. */
export const SANDBOX_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

/** What of a request needs the file's tag or size before it is opened; otherwise one call to the storage is enough. */
const CONDITIONS = ['if-none-match', 'if-modified-since', 'range'];

/** `bytes=0-99`, `bytes=100-` or, the last ones, `bytes=-100`. */
const ONE_RANGE = /^bytes=(?=-?\d)(\d*)-(\d*)$/i;

/**
 * Returns the part that a client asks for; nothing if it gets the whole file, as it does if it asks for several parts
 * or in an unknown way, or if its other parts are of a file that has since changed.
 * @throws Problem range-not-satisfiable
 */
function rangeOf({ headers }: Request, { bytes }: BlobHead, versions: readonly string[]) {
  const { range, 'if-range': ifRange } = headers;
  const [isOne, first, last] = ONE_RANGE.exec(String(range ?? '')) ?? [];
  if (!isOne || (ifRange && !versions.includes(String(ifRange)))) return undefined;
  if (first && last && Number(first) > Number(last)) return undefined;
  const start = first ? Number(first) : Math.max(0, bytes - Number(last));
  if (start < bytes) return { start, end: Math.min(bytes - 1, Number((first && last) || bytes)) };
  throw new Problem('range-not-satisfiable', `The file has ${bytes} bytes`, {
    headers: { 'content-range': `bytes */${bytes}`, 'accept-ranges': 'bytes' },
  });
}

/** Cut-outs are known by their SHA-256. */
const etagOf = ({ etag, meta }: BlobHead): string => (meta.sha256 ? `"${meta.sha256}"` : etag);

const contentHeaders = ({ bytes, mediaType }: BlobHead, part: ByteRange | undefined) => ({
  'content-type': mediaType,
  'content-length': String(part ? part.end - part.start + 1 : bytes),
  ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${bytes}` }),
});

/**
 * Sends a blob as RFC 9110 says: GET and HEAD, conditions, one range.
 * @param headers of the response, besides those of the blob
 * @param gone the problem to throw if the blob does not exist
 * @throws Problem as `gone` returns; damaged, range-not-satisfiable, upstream-unavailable
 */
export async function sendBlob(
  blobs: Pick<Blobs, 'head' | 'open'>,
  key: string,
  call: Request,
  headers: Readonly<Record<string, string>>,
  gone: () => Problem,
): Promise<Reply> {
  const isHead = call.method === 'HEAD';
  const needsHead = isHead || CONDITIONS.some((name) => call.headers[name] !== undefined);
  const known = needsHead ? await blobs.head(key, call.signal) : undefined;
  if (needsHead && !known) throw gone();

  const about = (head: BlobHead) => ({
    ...headers,
    etag: etagOf(head),
    'last-modified': head.modifiedAt.toUTCString(),
    'accept-ranges': 'bytes',
  });
  if (known && isFresh(call, about(known))) return { status: 304, headers: about(known) };
  if (known && isHead) {
    return {
      headers: { ...about(known), ...contentHeaders(known, undefined) },
      body: Readable.from([]),
    };
  }
  const part = known && rangeOf(call, known, [etagOf(known), known.modifiedAt.toUTCString()]);
  const body = await openBlob(blobs, key, call.signal, gone, part).catch((error) => {
    if (!(error instanceof RangeError)) throw error;
  });
  // It was replaced since: the part is of other bytes.
  if (!body || (part && body.head.etag !== known.etag)) {
    body?.destroy();
    return sendBlob(blobs, key, call, headers, gone);
  }
  const { head } = body;
  const { sha256 } = head.meta;
  return {
    status: part ? 206 : 200,
    headers: { ...about(head), ...contentHeaders(head, part) },
    // Of a part nothing is known.
    body: part || !sha256 ? body : await verified(body, { key, bytes: head.bytes, sha256 }),
  };
}
