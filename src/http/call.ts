import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../platform/log.ts';
import { Problem } from '../platform/problem.ts';
import { BODY_WEIGHT, type BodyMemory, responseHoldOf } from './body-limits.ts';
import { malformedForm, readBodyStream } from './body-stream.ts';
import { type Form, readFormBody, readFormParts } from './form.ts';
import {
  type ImageForm,
  type ImageFormOptions,
  type ImagePartName,
  readJsonImage,
  readJsonImages,
  readMultipart,
} from './image-body.ts';
import { takeLoopTurn } from './json-body.ts';
import { addressBlock } from './limits.ts';
import { parse } from './parse.ts';
import { asProblem } from './problem-response.ts';
import { AccessCheck, type AccessControl } from './request-context.ts';
import { requestOrigin } from './request-head.ts';
import type { Call, Route } from './route.ts';

export interface CallOptions extends AccessControl {
  log: Logger;
  /** Limit of an image's bytes, before base64. */
  maxImageBytes: number;
  bodyMemory: BodyMemory;
  /** See `BodyTimes`. */
  idleMillis: number;
  /** Aborts when the server starts to shut down. */
  closing: AbortSignal;
}

/** What a form may hold besides its images. */
export const FORM_OVERHEAD_BYTES = 256 * 1024;

const FORM_LIMITS = { files: 2, fields: 50, parts: 52 };

export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** Returns the limit of a form's bytes: two files, or one in base64, which URL encoding makes longer still. */
export const maxFormBytes = (maxImageBytes: number): number =>
  2 * maxImageBytes + FORM_OVERHEAD_BYTES;

/** Returns a request as its handler sees it. @throws Problem invalid-request */
export function createCall(
  deps: CallOptions,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
): Call {
  const { grant, admission: { rateLimit } = {} } = request.requestContext;
  const { maxImageBytes: maxFileBytes, idleMillis, closing } = deps;
  const { run: checkAccess } = new AccessCheck(deps, route, request);
  return {
    requestId: request.id,
    client: grant?.client ?? `address:${addressBlock(request.ip ?? '')}`,
    get caller() {
      return keyed(grant);
    },
    method: request.method,
    remoteAddress: request.ip ?? '', // undefined once the connection is closed
    baseUrl: deps.publicUrl ?? requestOrigin(request),
    params: request.params as Record<string, string>,
    query: route.query ? parse(route.query, request.query, 'query') : request.query,
    body: route.body ? parse(route.body, bodyOf(route, request), 'body') : request.body,
    headers: request.headers,
    async imageForm(options = {}) {
      const form = await readImageForm(deps, request, options);
      const imageBytes = (form.image?.length ?? 0) + (form.backgroundImage?.length ?? 0);
      request.requestContext.bodyHold?.resize(imageBytes);
      return form;
    },
    form: () => readForm(deps, request),
    bodyStream: () =>
      readBodyStream(request, {
        idleMillis,
        closing,
        maxFileBytes,
        checkAccess,
        hold: (bytes) => request.requestContext.bodyHold?.resize(BODY_WEIGHT * bytes),
      }),
    awaitMemory: (bytes, signal) =>
      responseHoldOf(deps.bodyMemory, request, reply).wait(BODY_WEIGHT * bytes, signal),
    get rateLimit() {
      return keyed(rateLimit);
    },
    resizeQuota: async (units) => request.requestContext.admission?.resize(units),
    takeQuota() {
      const { admission } = request.requestContext;
      request.requestContext.admission = undefined;
      return admission;
    },
    checkAccess,
    signal,
    closing,
    log: deps.log.child({ requestId: request.id }),
  };
}

function keyed<T>(ofKey: T | undefined): T {
  if (ofKey === undefined) throw new Error('a keyless route asks whose key it is');
  return ofKey;
}

/** A body that may be left out counts as an empty object. */
const bodyOf = ({ optionalBody }: Route, { body }: FastifyRequest): unknown =>
  optionalBody && body === undefined ? {} : body;

async function readImageForm(
  { maxImageBytes }: CallOptions,
  request: FastifyRequest,
  { member = 'image_base64', background = false, ...parts }: ImageFormOptions,
): Promise<ImageForm> {
  if (!request.isMultipart()) {
    await takeLoopTurn(Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY));
    const read = background ? readJsonImages : readJsonImage;
    const form = read(request.body, maxImageBytes, member);
    request.body = undefined; // the base64 is not needed while the image is worked on
    return form;
  }
  const names: ImagePartName[] = background ? ['image', 'backgroundImage'] : ['image'];
  const declaredBytes = Number(request.headers['content-length']);
  if (declaredBytes > names.length * maxImageBytes + FORM_OVERHEAD_BYTES) {
    throw new Problem('payload-too-large', `The image is larger than ${maxImageBytes} bytes`);
  }
  return drainOnError(request, () => readMultipart(request.parts(), maxImageBytes, names, parts));
}

/** A form may carry a second file, and files as base64 in text. */
async function readForm({ maxImageBytes }: CallOptions, request: FastifyRequest): Promise<Form> {
  if (!request.isMultipart()) return readFormBody(request.body ?? {});
  const declaredBytes = Number(request.headers['content-length']);
  if (declaredBytes > maxFormBytes(maxImageBytes)) {
    throw new Problem('payload-too-large', `A file is larger than ${maxImageBytes} bytes`);
  }
  const maxTextBytes = base64Length(maxImageBytes) + FORM_OVERHEAD_BYTES;
  const limits = { ...FORM_LIMITS, fileSize: maxImageBytes, fieldSize: maxTextBytes };
  return drainOnError(request, () =>
    readFormParts(request.parts({ limits }), maxImageBytes, maxTextBytes),
  );
}

/** Runs a reader of the body's parts. If it fails, the rest of the body is read and dropped. */
async function drainOnError<T>(request: FastifyRequest, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    // Lets the client finish sending, and then see the response.
    request.raw.unpipe();
    request.raw.resume();
    if (error instanceof Problem || asProblem(error).type !== 'internal-error') throw error;
    throw malformedForm(error);
  }
}
