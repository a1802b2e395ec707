import type { IncomingMessage } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { Readable } from 'node:stream';
import type { FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hostClock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { Problem } from '../platform/problem.ts';
import { type AccessControl, accessCheck, admit, disconnectSignal } from './access.ts';
import { malformedForm, readBodyStream } from './body-stream.ts';
import {
  BODY_WEIGHT,
  type BodyMemory,
  type Connections,
  hasBody,
  limitBodyTime,
  responseHoldOf,
} from './capacity.ts';
import { isCompressible, leaveUncompressed } from './compression.ts';
import { corsOf } from './cors.ts';
import { type Form, readFormBody, readFormParts } from './form.ts';
import {
  type ImageForm,
  type ImageFormOptions,
  type ImagePartName,
  JSON_MEDIA_TYPE,
  readJsonImage,
  readMultipart,
} from './image-body.ts';
import { parseAsJson, takeLoopTurn } from './json-body.ts';
import { addressBlock } from './limits.ts';
import { answerOtherMethods } from './other-methods.ts';
import { parse } from './parse.ts';
import { asProblem, UNKNOWN_MEDIA_TYPE } from './problem-response.ts';
import { requestOrigin } from './request-head.ts';
import type { Call, Reply, Route } from './route.ts';
import { checkSunset, sunsetHeaders } from './sunset.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The media types that its handler streams. */
    streamedTypes?: readonly string[];
    /** A request may have no body. */
    isBodyOptional?: boolean;
    /** The media types of the bodies that it reads, for errors. */
    accepts?: readonly string[];
    /** It requires a key. */
    isKeyed?: boolean;
    /** Its handler parses JSON. */
    parsesJson?: boolean;
    problemReply?: Route['problemReply'];
    /** Which pages of other origins may call it. */
    cors?: FastifyCorsOptions | false;
  }
}

export interface MountOptions extends AccessControl {
  log: Logger;
  /** Origins whose pages may call every route; none by default. */
  corsOrigins?: readonly string[];
  /** Limit of an image's bytes, before base64. */
  maxImageBytes: number;
  bodyMemory: BodyMemory;
  connections: Pick<Connections, 'accept'>;
  /** See `BodyTimes`. */
  wholeMillis: number;
  /** See `BodyTimes`. */
  idleMillis: number;
  /** Aborts when the server starts to shut down. */
  closing: AbortSignal;
}

/** Limit of a JSON body, unless its route sets another. */
export const MAX_JSON_BYTES = 1024 * 1024;
/** What a form may hold besides its images. */
const FORM_OVERHEAD_BYTES = 256 * 1024;

const FORM_LIMITS = { files: 2, fields: 50, parts: 52 };

const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** Returns the limit of a form's bytes: two files, or one in base64, which URL encoding makes longer still. */
const maxFormBytes = (maxImageBytes: number): number => 2 * maxImageBytes + FORM_OVERHEAD_BYTES;

const URL_ENCODED = 'application/x-www-form-urlencoded';

export function mountRoutes(
  app: FastifyInstance,
  deps: MountOptions,
  routes: readonly Route[],
): void {
  for (const route of routes) {
    app.register(async (scope) => {
      addParsers(scope, route);
      mountRoute(scope, deps, route);
    });
  }
  answerOtherMethods(app, deps, routes);
}

const isBodyOptional = ({ optionalBody, body, uncheckedBody, imageForm, form, stream }: Route) =>
  optionalBody ?? !(body || uncheckedBody || imageForm || form || stream);

function mediaTypesOf({ stream, imageForm, form, body, uncheckedBody }: Route): readonly string[] {
  const schemas = stream ?? imageForm ?? form;
  if (schemas) return Object.keys(schemas);
  return (body ?? uncheckedBody) ? [JSON_MEDIA_TYPE] : [];
}

/** Limit of a body that its route does not use. */
const UNUSED_BODY_BYTES = 1024;

const NOTHING = /^$/;
const NOTHING_OR_EMPTY_OBJECT = /^\s*(\{\s*\}\s*)?$/;

/**
 * Returns a parser of bodies that must say nothing.
 * @param accepted what the text of such a body looks like
 * @throws Problem unsupported-media-type for other bodies, and for those over 1 KiB
 */
const requireText =
  (accepted: RegExp) =>
  async (_request: unknown, payload: IncomingMessage): Promise<undefined> => {
    let text = '';
    // Not destroyed at the end: there is still a response to send.
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      text += chunk;
      if (text.length > UNUSED_BODY_BYTES) break;
    }
    if (accepted.test(text)) return;
    payload.resume(); // lets the client finish sending, and then see the response
    throw new Problem('unsupported-media-type', UNKNOWN_MEDIA_TYPE);
  };

/** Has bodies read as a route reads them; by default only JSON and multipart forms are. */
function addParsers(scope: FastifyInstance, route: Route): void {
  const isOptional = isBodyOptional(route);
  if (route.stream) {
    scope.removeAllContentTypeParsers();
    // Its handler gets them unparsed.
    scope.addContentTypeParser(Object.keys(route.stream), (_request, _body, done) => done(null));
    if (isOptional)
      scope.addContentTypeParser(JSON_MEDIA_TYPE, requireText(NOTHING_OR_EMPTY_OBJECT));
  }
  if (route.form) {
    // A repeated name has a list of values.
    scope.addContentTypeParser(URL_ENCODED, { parseAs: 'string' }, (_request, body, done) =>
      done(null, parseQuery(String(body))),
    );
  }
  if (route.textIsJson) parseAsJson(scope, 'text/plain');
  // Of any type that has no parser, and of none.
  if (isOptional) scope.addContentTypeParser('*', requireText(NOTHING));
}

function bodyLimitOf(route: Route, maxImageBytes: number): number {
  const { form, imageForm, body, uncheckedBody, maxBodyBytes } = route;
  if (form) return maxFormBytes(maxImageBytes);
  if (imageForm) return base64Length(maxImageBytes) + FORM_OVERHEAD_BYTES;
  return (body ?? uncheckedBody) ? (maxBodyBytes ?? MAX_JSON_BYTES) : UNUSED_BODY_BYTES;
}

/** Returns the memory that the largest body takes: without as much, it could never be read. */
export const maxBodyWeight = (maxImageBytes: number): number =>
  BODY_WEIGHT * maxFormBytes(maxImageBytes);

/**
 * Takes the memory of a body before it is read, until the response is sent. A streamed body takes what
 * its files need as they arrive.
 * @throws Problem upstream-unavailable
 */
function holdBody(
  deps: MountOptions,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (!hasBody(request)) return;
  const hold = deps.bodyMemory.hold(request.requestContext.caller?.client);
  request.requestContext.bodyHold = hold;
  reply.raw.once('close', () => hold.release());
  if (route.stream) return;
  const limit = bodyLimitOf(route, deps.maxImageBytes);
  const declared = Number(request.headers['content-length'] ?? limit);
  hold.resize(Math.min(declared, limit) * BODY_WEIGHT);
}

function mountRoute(app: FastifyInstance, deps: MountOptions, route: Route): void {
  const { sunset } = route;
  app.route({
    method: route.method,
    url: route.path,
    config: {
      streamedTypes: Object.keys(route.stream ?? {}),
      isBodyOptional: isBodyOptional(route),
      accepts: mediaTypesOf(route),
      isKeyed: route.scope !== 'keyless',
      parsesJson: route.uncheckedBody !== undefined,
      problemReply: route.problemReply,
      cors: corsOf(route, deps.corsOrigins ?? []),
    },
    ...(!isCompressible(route) && { compress: false }),
    bodyLimit: bodyLimitOf(route, deps.maxImageBytes),
    onRequest: async (request, reply) => {
      if (route.stream) drainAfterResponse(request, reply, deps.wholeMillis);
      if (sunset) {
        reply.headers(sunsetHeaders(sunset));
        checkSunset(sunset, hostClock());
      }
      if (route.scope !== 'keyless') {
        const { client } = await admit(deps, route, request, reply);
        deps.connections.accept(request.raw, reply.raw, client);
      }
      holdBody(deps, route, request, reply);
    },
    handler: async (request, reply) => {
      const signal = disconnectSignal(request, reply);
      const { handle, handleTest = handle } = route;
      const answer = request.requestContext.caller?.test ? handleTest : handle;
      const response = await answer(createCall(deps, route, request, reply, signal));
      request.requestContext.made = idOfMade(response);
      if (!signal.aborted) request.requestContext.admission = undefined; // a success keeps its quota
      return send(request, reply, response);
    },
  });
}

function idOfMade({ status, body }: Reply): string | undefined {
  const says = status === 201 && typeof body === 'object' && 'id' in body;
  return says && typeof body.id === 'string' ? body.id : undefined;
}

const drop = (): void => {};

/** A response may precede the end of the body: lets the client finish sending, and then see it. */
function drainAfterResponse(request: FastifyRequest, reply: FastifyReply, millis: number): void {
  reply.raw.once('finish', () => {
    // A reader that has stopped may still listen, or end later: either would keep the body from flowing.
    request.raw.removeAllListeners('readable').on('data', drop).resume();
    limitBodyTime(request, reply, millis);
  });
}

function send(request: FastifyRequest, reply: FastifyReply, response: Reply): FastifyReply {
  const { status = 200, headers = {}, body } = response;
  const vary = [reply.getHeader('vary') ?? [], headers.vary ?? []].flat().join(', ');
  reply.status(status).headers({ ...headers, ...(vary && { vary }) });
  // It may last, or be many: what compressing takes would not be limited.
  if (body instanceof Readable) leaveUncompressed(request);
  const isRead = request.method !== 'HEAD' && !reply.raw.destroyed;
  if (isRead || !(body instanceof Readable)) return reply.send(body);
  body.destroy(); // it would be read to its end for no one, or wait for one for ever
  return reply.send(Readable.from([]));
}

/** Returns a request as its handler sees it. @throws Problem invalid-request */
function createCall(
  deps: MountOptions,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  signal: AbortSignal,
): Call {
  const { caller, admission: { rateLimit } = {} } = request.requestContext;
  const { maxImageBytes: maxFileBytes, idleMillis, closing } = deps;
  const checkAccess = accessCheck(deps, route, request);
  return {
    requestId: request.id,
    client: caller?.client ?? `address:${addressBlock(request.ip ?? '')}`,
    get caller() {
      return keyed(caller);
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
  { maxImageBytes }: MountOptions,
  request: FastifyRequest,
  { member = 'image_base64', background = false, ...parts }: ImageFormOptions,
): Promise<ImageForm> {
  if (!request.isMultipart()) {
    await takeLoopTurn(Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY));
    const form = readJsonImage(request.body, maxImageBytes, member, background);
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
async function readForm({ maxImageBytes }: MountOptions, request: FastifyRequest): Promise<Form> {
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
