import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Route } from './route.ts';

const MAX_AGE_SECONDS = 7200;

/**
 * What pages of other origins may send. Not the console's own header: a page that could send it could
 * use the session of a signed-in browser.
 */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Modified-Since',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'Prefer',
  'Range',
  'Traceparent',
  'Tracestate',
  'X-Api-Key',
  'X-Request-Id',
];

/** What they may read besides the headers that every page may read. */
const RESPONSE_HEADERS = [
  'Accept-Ranges',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Server-Timing',
  'Sunset',
  'WWW-Authenticate',
  'X-Credits-Charged',
  'X-Cutout-Alpha',
  'X-Cutout-Confidence',
  'X-Cutout-Review',
  'X-Cutout-Review-Needed',
  'X-Cutout-Rules',
  'X-Foreground-Height',
  'X-Foreground-Left',
  'X-Foreground-Top',
  'X-Foreground-Width',
  'X-Height',
  'X-Model',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Type',
  'X-Width',
];

/** Answers pages of other origins on the routes with a `corsOf`; never with cookies. */
export function allowOrigins(app: FastifyInstance): void {
  app.register(cors, {
    origin: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: RESPONSE_HEADERS,
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
