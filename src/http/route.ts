import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Logger } from '../platform/log.ts';
import type { Problem } from '../platform/problem.ts';
import type { BodyStream } from './body-stream.ts';
import type { Form } from './form.ts';
import type { FormTakes, ImageForm } from './image-body.ts';
import type { Admission, RateLimitStatus } from './limits.ts';

/** Who is calling: what the presented key allows. */
export interface Caller {
  keyId: string;
  client: string;
  scopes: readonly string[];
  allowBase64: boolean;
  /** Under which name its quota is counted, and how many units a UTC day has. */
  meter: string;
  quotaPerDay: number;
  /** How long things may be kept at most, as the operator says of the key. */
  retention?:
    | {
        inputSeconds?: number | undefined;
        outputSeconds?: number | undefined;
        recordSeconds?: number | undefined;
        store?: 'none' | undefined;
      }
    | undefined;
}

/** One request as a handler sees it: already authorised, limited and parsed. */
export interface Call<Query = unknown, Body = unknown> {
  requestId: string;
  /** Absent on keyless routes. */
  caller: Caller | undefined;
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  /** Lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Reads the body as an image form (multipart, or JSON with `image_base64`); once. */
  imageForm(takes?: FormTakes): Promise<ImageForm>;
  /** Reads the body as a form (multipart, URL-encoded or JSON); once, on routes with `form`. */
  form(): Promise<Form>;
  /** The body as it comes, of any length; once, on routes with `stream`. */
  bodyStream(): BodyStream;
  /** What of rate and quota is left after this request; absent on keyless routes. */
  standing: RateLimitStatus | undefined;
  /**
   * Hands over the quota this request has reserved: whoever takes it says whether it is given back.
   * Not taken, it is given back where the request fails.
   */
  takeQuota(): Pick<Admission, 'reserved' | 'refund'> | undefined;
  /** Aborts when the client hangs up. */
  signal: AbortSignal;
  /** Aborts when the server begins to shut down; for work that has no end of its own. */
  closing: AbortSignal;
  log: Logger;
}

/** What a handler answers. An object body is sent as JSON, a buffer or stream as it is. */
export interface Reply {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body?: object | string | Uint8Array | Readable;
}

/** For the OpenAPI document: media type -> schema (or `binary`). */
export type MediaSchemas = Readonly<Record<string, z.ZodType | 'binary'>>;

/** One success answer of a route, for the OpenAPI document. */
export interface ResponseDoc {
  description: string;
  content?: MediaSchemas;
  headers?: readonly string[];
}

export interface RouteSpec<Query, Body> {
  method: 'GET' | 'POST' | 'DELETE';
  /** With `:name` for parameters. */
  path: string;
  /** The scope a key must hold, `any-key` for a valid key of any scope, or `keyless`. */
  scope: string;
  summary: string;
  description?: string;
  /** Query parameters; without it any query is passed over. */
  query?: z.ZodType<Query>;
  /** JSON body; parsed before the handler runs. */
  body?: z.ZodType<Body>;
  /** The body is an image form that the handler reads by `call.imageForm()`; here for the document. */
  imageForm?: MediaSchemas;
  /** The body is a form of any fields and files that the handler reads by `call.form()`; here for the document. */
  form?: MediaSchemas;
  /** The body is of any length and of these types; the handler reads it by `call.bodyStream()`. */
  stream?: MediaSchemas;
  /** Most bytes of a JSON body. */
  maxBodyBytes?: number;
  /** Units of the daily quota a success costs. */
  quota?: number;
  /** A header, in lower case, that may carry the key in place of `Authorization`. */
  keyHeader?: string;
  /** How its problems are answered, where not by RFC 9457. */
  answerProblem?(problem: Problem): Reply;
  answers: Readonly<Record<number, ResponseDoc>>;
  /** Problem types beyond those every route may answer. */
  problems?: readonly string[];
  handle(call: Call<Query, Body>): Reply | Promise<Reply>;
}

/** A route with its types forgotten, as the table holds it. */
export type Route = RouteSpec<unknown, unknown>;

/**
 * States one row of the endpoint table: the handler's types follow from the schemas.
 * The one cast here is safe because the server parses query and body with the same row's schemas.
 */
export const route = <Query = unknown, Body = unknown>(spec: RouteSpec<Query, Body>): Route =>
  spec as unknown as Route;

/** An answer in JSON. */
export const json = (body: object, headers: Readonly<Record<string, string>> = {}): Reply => ({
  body,
  headers,
});
