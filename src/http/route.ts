import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { KeyRecord, Meter } from '../auth/key-record.ts';
import type { Logger } from '../platform/log.ts';
import type { Problem, ProblemType } from '../platform/problem.ts';
import type { BodyStream } from './body-stream.ts';
import type { Form } from './form.ts';
import type { ImageForm, ImageFormOptions } from './image-body.ts';
import type { Admission, RateLimitStatus } from './limits.ts';
import type { RequestHeader, ResponseHeader } from './openapi/headers.ts';

/** Limits of a key that handlers apply. */
type CallerLimits = Pick<
  KeyRecord,
  'rate' | 'bytesPerDay' | 'weight' | 'maxFeeds' | 'feedIntervalSeconds' | 'retention'
>;

/** An authenticated caller: what its key allows. */
export interface Caller extends Meter, CallerLimits {
  keyId: string;
  client: string;
  /** Who has signed in to the console, if it was not by the key. */
  person?: string | undefined;
  scopes: readonly string[];
  /** Parts of the API that are granted besides the scopes of operations. */
  rights: readonly string[];
  allowBase64: boolean;
  /** The key is a test key, whose requests are free. */
  test?: true | undefined;
}

/** One request as a handler sees it: authorised, rate-limited and parsed. */
export interface Call<Query = unknown, Body = unknown> {
  requestId: string;
  /** Whose requests it is counted among: those of its key's client; of a keyless one `address:…`, which no client has. */
  client: string;
  /** Reading it on a keyless route throws an Error. */
  caller: Caller;
  method: string;
  /** The client as far as trusted proxies tell: see `TRUST_PROXY`. */
  remoteAddress: string;
  /** Where clients reach this service, without a slash at the end: links start with it. */
  baseUrl: string;
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Reads the body as an image form (multipart, or JSON with `image_base64`). Call it once. */
  imageForm(options?: ImageFormOptions): Promise<ImageForm>;
  /** Reads the body as a form (multipart, URL-encoded or JSON), on routes with `form`. Call it once. */
  form(): Promise<Form>;
  /** Returns the body as a stream of any length, on routes with `stream`. Call it once. */
  bodyStream(): BodyStream;
  /**
   * Waits until there is memory for a file of so many bytes that the response brings. Until the
   * response is sent, its client gets less memory for others.
   */
  awaitMemory(bytes: number, signal: AbortSignal): Promise<void>;
  /** As `caller`. */
  rateLimit: RateLimitStatus;
  /** How long its handler has waited for Redis, or for an earlier request with its `Idempotency-Key`, ms. */
  waitedMillis?: number;
  /**
   * Hands over the quota this request has reserved: the caller must then charge or refund it.
   * Quota that is not taken is refunded if the request fails.
   */
  takeQuota(): Pick<Admission, 'reserved' | 'refund' | 'resize'> | undefined;
  /**
   * Reserves so many units in all, which are refunded if the request fails.
   * @throws Problem quota-exceeded, upstream-unavailable
   */
  resizeQuota(units: number): Promise<void>;
  /**
   * Authenticates the caller again, at most every five seconds; for responses that last.
   * @throws Problem unauthorized, insufficient-scope
   */
  checkAccess(): Promise<void>;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Aborts when the server starts to shut down; for handlers without an end of their own. */
  closing: AbortSignal;
  log: Logger;
}

/** A handler's response. An object is sent as JSON, a string, buffer or stream as it is. */
export interface Reply {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body?: object | string | Uint8Array | Readable;
}

export type MediaSchema = z.ZodType | 'binary' | { each: z.ZodType };

/** For the OpenAPI document: a file in a form. */
export const filePart = (description: string) =>
  z.unknown().meta({ contentMediaType: 'application/octet-stream', description });

/** For the OpenAPI document: media type -> schema. */
export type MediaSchemas = Readonly<Record<string, MediaSchema>>;

/** One success response of a route, for the OpenAPI document. */
export interface ResponseDoc {
  description: string;
  content?: MediaSchemas;
  headers?: readonly ResponseHeader[];
  /** What routes that share it call it; by default the name of its schema, if that has one. */
  name?: string;
}

/** The planned end of an endpoint. Times are ISO 8601 UTC. */
export interface Sunset {
  /** Such as `POST /bg/v1/background-removals`. */
  route: string;
  deprecatedAt: string;
  /** From then on the endpoint answers 410. */
  sunsetAt: string;
  /** The page that describes the successor. */
  link: string;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Address {
  method: Method;
  /** With `:name` for parameters. */
  path: string;
  /** The name of the method in generated clients: a verb and what it acts on. */
  operationId: string;
  scope: string;
}

interface RouteSpec<Query, Body> {
  /** Pages of any origin may call it, whatever the settings say. */
  anyOrigin?: boolean;
  /** The scope a key must hold, or `keyless`; by default `any-key`, for a valid key of any scope. */
  scope?: string;
  /** Its planned end, if it has one. */
  sunset?: Sunset;
  /** The right a key must have besides its scope. */
  right?: string;
  /** Query parameters; without it the query is ignored. */
  query?: z.ZodType<Query>;
  /**
   * Whether a request may have no body; by default if the row declares none. A `body` is then parsed
   * as `{}`; a `stream` is read only for a media type that it lists.
   */
  optionalBody?: boolean;
  /** JSON body; parsed before the handler runs. */
  body?: z.ZodType<Body>;
  /** A `body` may be declared as `text/plain`. */
  textIsJson?: boolean;
  /** JSON body that the handler gets as text and parses itself; the schema is for the document. */
  uncheckedBody?: z.ZodType;
  /** The body is an image form, read by `call.imageForm()`; the schemas are for the document. */
  imageForm?: MediaSchemas;
  /** For the document: what a JSON `imageForm` needs in the query; the success is JSON then. */
  jsonQuery?: string;
  /** The body is a form, read by `call.form()`; the schemas are for the document. */
  form?: MediaSchemas;
  /** The body has one of these media types and any length, and is read by `call.bodyStream()`. */
  stream?: MediaSchemas;
  /** Limit of a JSON body. */
  maxBodyBytes?: number;
  /** Units of the daily quota that a success costs. */
  quota?: number;
  /** A header, in lower case, that can carry the key in place of `Authorization`. */
  keyHeader?: string;
  /** Returns the response for a problem, if the route does not use RFC 9457. */
  problemReply?(problem: Problem): Reply;
  /** For the OpenAPI document: the body of such a response. */
  problemSchema?: z.ZodType;
  responses: Readonly<Record<number, ResponseDoc>>;
  handle(call: Call<Query, Body>): Reply | Promise<Reply>;
  /** Answers test keys in place of `handle`. */
  handleTest?(call: Call<Query, Body>): Reply | Promise<Reply>;
}

/** A route without its type parameters, as the table holds it. */
export type Route = Address & RouteSpec<unknown, unknown>;

/** What the OpenAPI document says of an operation. */
export interface OperationDoc {
  /** Problem types beyond those of every route of its kind. */
  problems: readonly ProblemType[];
  /** Headers that the handler reads, besides those of conditional requests. */
  requestHeaders: readonly RequestHeader[];
  summary: string;
  description: string;
}

export type DescribedRoute = Route & OperationDoc;

/**
 * Defines one row of the endpoint table: `listJobs, 'GET /intake/v1/jobs'` name its operation and what it answers. What
 * the documents say of it is in data/api/operations.tsv.
 * The cast is safe because the server parses query and body with the schemas of the same row.
 */
export function route<Query = unknown, Body = unknown>(
  operationId: string,
  request: `${Method} ${string}`,
  { scope = 'any-key', ...spec }: RouteSpec<Query, Body>,
): Route {
  const [method, path] = request.split(' ') as [Method, string];
  return { operationId, method, path, scope, ...spec } as Route;
}

export const json = (body: object, headers: Readonly<Record<string, string>> = {}): Reply => ({
  body,
  headers,
});

export const jsonText = (body: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  body,
  headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
});

export const jsonDoc = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': schema },
});
