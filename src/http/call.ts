import type { FastifyRequest } from 'fastify';
import type { Logger } from '../platform/log.ts';
import { Problem } from '../platform/problem.ts';
import { readBodyStream } from './body-stream.ts';
import { type Form, readFormBody, readFormParts } from './form.ts';
import {
  type FileName,
  type FormTakes,
  type ImageForm,
  readJsonImage,
  readJsonImages,
  readMultipart,
} from './image-body.ts';
import { parse } from './parse.ts';
import { asProblem } from './problem-response.ts';
import type { Call, Route } from './route.ts';

/** What calls are made with. */
export interface CallDeps {
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
export const FORM_OVERHEAD_BYTES = 256 * 1024;

const FORM_LIMITS = { files: 2, fields: 50, parts: 52 };

/** How many bytes become as base64. */
export const base64Bytes = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** The ceiling of a form of two files, or of one in base64, which URL encoding makes longer still. */
export const maxFormBytes = (maxImageBytes: number): number =>
  2 * maxImageBytes + FORM_OVERHEAD_BYTES;

/** A request as its handler sees it. */
export function callOf(
  deps: CallDeps,
  route: Route,
  request: FastifyRequest,
  signal: AbortSignal,
): Call {
  const { grant } = request.passage;
  const { maxImageBytes, idleMillis, closing } = deps;
  return {
    requestId: request.id,
    caller: grant,
    params: request.params as Record<string, string>,
    query: route.query ? parse(route.query, request.query, 'query') : request.query,
    body: route.body ? parse(route.body, request.body, 'body') : request.body,
    headers: request.headers,
    imageForm: (takes = {}) => readImageForm(deps, request, takes),
    form: () => readWholeForm(deps, request),
    bodyStream: () => readBodyStream(request, { idleMillis, closing, maxFileBytes: maxImageBytes }),
    standing: request.passage.admission?.standing,
    takeQuota() {
      const { admission } = request.passage;
      request.passage.admission = undefined;
      return admission;
    },
    signal,
    closing,
    log: deps.log.child({ requestId: request.id }),
  };
}

async function readImageForm(
  { maxImageBytes, sniff }: CallDeps,
  request: FastifyRequest,
  { member = 'image_base64', background = false }: FormTakes,
): Promise<ImageForm> {
  if (!request.isMultipart()) {
    const read = background ? readJsonImages : readJsonImage;
    return read(request.body, maxImageBytes, sniff, member);
  }
  const files: FileName[] = background ? ['image', 'backgroundImage'] : ['image'];
  const declared = Number(request.headers['content-length']);
  if (declared > files.length * maxImageBytes + FORM_OVERHEAD_BYTES) {
    throw new Problem('payload-too-large', `The image is larger than ${maxImageBytes} bytes`);
  }
  return readingParts(request, () => readMultipart(request.parts(), maxImageBytes, files));
}

/** A form may carry a second file, and files as base64 in text. */
async function readWholeForm({ maxImageBytes }: CallDeps, request: FastifyRequest): Promise<Form> {
  if (!request.isMultipart()) return readFormBody(request.body ?? {});
  const declared = Number(request.headers['content-length']);
  if (declared > maxFormBytes(maxImageBytes)) {
    throw new Problem('payload-too-large', `A file is larger than ${maxImageBytes} bytes`);
  }
  const maxTextBytes = base64Bytes(maxImageBytes) + FORM_OVERHEAD_BYTES;
  const limits = { ...FORM_LIMITS, fileSize: maxImageBytes, fieldSize: maxTextBytes };
  return readingParts(request, () =>
    readFormParts(request.parts({ limits }), maxImageBytes, maxTextBytes),
  );
}

/** Has the parts of a body read; where that fails, says so in a way that the client can see. */
async function readingParts<T>(request: FastifyRequest, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
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
