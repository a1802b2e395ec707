import type { FastifyRequest } from 'fastify';
import type { Logger } from '../log.ts';
import { Problem } from '../problem.ts';
import { readBodyStream } from './body-stream.ts';
import { type ImageForm, type ImageMember, readJsonImage, readMultipart } from './image-body.ts';
import { parse } from './parse.ts';
import { asProblem } from './problem-answer.ts';
import type { Call, Route } from './route.ts';

/** What calls are made with. */
export interface CallParts {
  log: Logger;
  /** Ceiling of an image's bytes, before base64. */
  maxImageBytes: number;
  /** First bytes of an image -> its format. */
  sniff(bytes: Uint8Array): string | undefined;
  /** See `BodyTimes`. */
  idleMillis: number;
  /** Aborts when the server begins to shut down. */
  closing: AbortSignal;
}

/** What a form with an image may have beside the image. */
export const FORM_SPARE_BYTES = 256 * 1024;

/** A request as its handler sees it. */
export function callOf(
  parts: CallParts,
  route: Route,
  request: FastifyRequest,
  signal: AbortSignal,
): Call {
  const { grant } = request.passage;
  const { maxImageBytes, idleMillis, closing } = parts;
  return {
    requestId: request.id,
    caller: grant,
    params: request.params as Record<string, string>,
    query: route.query ? parse(route.query, request.query, 'query') : request.query,
    body: route.body ? parse(route.body, request.body, 'body') : request.body,
    headers: request.headers,
    imageForm: (member = 'image_base64') => readImageForm(parts, request, member),
    bodyStream: () => readBodyStream(request, { idleMillis, closing, maxFileBytes: maxImageBytes }),
    standing: request.passage.admission?.standing,
    takeQuota() {
      const { admission } = request.passage;
      request.passage.admission = undefined;
      return admission;
    },
    signal,
    closing,
    log: parts.log.child({ requestId: request.id }),
  };
}

async function readImageForm(
  { maxImageBytes, sniff }: CallParts,
  request: FastifyRequest,
  member: ImageMember,
): Promise<ImageForm> {
  if (!request.isMultipart()) {
    return readJsonImage(request.body, maxImageBytes, sniff, member);
  }
  const declared = Number(request.headers['content-length']);
  if (declared > maxImageBytes + FORM_SPARE_BYTES) {
    throw new Problem('payload-too-large', `The image is larger than ${maxImageBytes} bytes`);
  }
  try {
    return await readMultipart(request.parts(), maxImageBytes);
  } catch (error) {
    // The rest of the body is read and dropped, so that the client can finish and see the answer.
    request.raw.unpipe();
    request.raw.resume();
    if (error instanceof Problem || asProblem(error).type !== 'internal-error') throw error;
    throw new Problem('invalid-request', 'The multipart body is malformed or ends early', {
      cause: error,
    });
  }
}
