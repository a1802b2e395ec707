import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { REQUEST_HEADERS, RESPONSE_HEADERS } from './openapi/headers.ts';
import type { Route } from './route.ts';

const MAX_AGE_SECONDS = 7200;

/**
 * What pages of other origins may send. Not the console's own header: a page that could send it could
 * use the session of a signed-in browser.
 */
const MAY_SEND = [
  ...Object.keys(REQUEST_HEADERS),
  ...['Authorization', 'Content-Type', 'If-Modified-Since', 'X-Api-Key'],
  ...['Traceparent', 'Tracestate'],
].sort();

/** What every page may read, and what is of no use to one. */
const NOT_EXPOSED: readonly string[] = [
  ...['Cache-Control', 'Content-Language', 'Last-Modified'],
  ...['Allow', 'Content-Disposition', 'Set-Cookie', 'X-Max-Height', 'X-Max-Width'],
];

/** What they may read besides the headers that every page may read. */
const MAY_READ = [
  ...Object.keys(RESPONSE_HEADERS).filter((name) => !NOT_EXPOSED.includes(name)),
  ...['Accept-Ranges', 'Deprecation', 'Link', 'Sunset'],
].sort();

/** Answers pages of other origins on the routes with a `corsOf`; never with cookies. */
export function allowOrigins(app: FastifyInstance): void {
  app.register(cors, {
    origin: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: MAY_SEND,
    exposedHeaders: MAY_READ,
    maxAge: MAX_AGE_SECONDS,
    // The route of other methods responds: to OPTIONS that is no preflight, with Allow.
    preflightContinue: true,
    strictPreflight: false,
  });
}

/** Returns which pages may call a route. @param origins that may call every route */
export function corsOf(
  { anyOrigin }: Pick<Route, 'anyOrigin'>,
  origins: readonly string[],
): FastifyCorsOptions | false {
  if (anyOrigin) return { origin: '*' };
  return origins.length > 0 && { origin: [...origins] };
}

/** Returns whether a browser asks if a page may call an address that allows it. */
export const isPreflight = ({ headers, routeOptions, method }: FastifyRequest): boolean =>
  method === 'OPTIONS' &&
  Boolean(routeOptions.config.cors) &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;
