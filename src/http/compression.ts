import compress from '@fastify/compress';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Route } from './route.ts';

/** Shorter responses do not become fewer packets. */
const MIN_BYTES = 1024;
/** Up to this length a response is compressed at once, in 2 ms; a longer one in a thread, as it is sent. */
const MAX_SYNC_BYTES = 256 * 1024;
/** Over twice as fast as the default, for 3 % more bytes. */
const LEVEL = 4;

/**
 * JSON, metrics, and pages with what they consist of. Not any text: the plugin takes one that begins like zlib's
 * header, such as "x" and a suitable letter, for compressed, and would send it as it is under the name gzip.
 */
const COMPRESSIBLE =
  /^(application\/(problem\+)?json|text\/(html|css|javascript)|text\/plain; version=)/;

/**
 * Compresses responses with gzip, on the routes that this scope registers afterwards. A response counts
 * towards the memory of responses with its length before: gzip's own 270 KiB are less than the
 * second copy of its text that is counted.
 */
export async function compressResponses(scope: FastifyInstance): Promise<void> {
  await scope.register(compress, {
    encodings: ['gzip'], // brotli takes megabytes for each response
    globalDecompression: false,
    threshold: MIN_BYTES,
    syncThreshold: MAX_SYNC_BYTES,
    zlibOptions: { level: LEVEL },
    customTypes: COMPRESSIBLE,
  });
}

/** Returns whether the responses of a route may be compressed: an image already is, even in base64. */
export const isCompressible = ({ responses }: Route): boolean =>
  !Object.keys(responses[200]?.content ?? {}).some((type) => type.startsWith('image/'));

/** Has the response to a request sent as it is. */
export function leaveUncompressed({ raw }: Pick<FastifyRequest, 'raw'>): void {
  raw.headers['x-no-compression'] = '1'; // the plugin's own switch
}
