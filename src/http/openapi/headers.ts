interface HeaderDoc {
  description: string;
  example: string;
}

// biome-ignore format: a table reads best aligned
export const RESPONSE_HEADERS = {
  'Allow':                { description: 'The methods of this address', example: 'GET, HEAD, OPTIONS' },
  'Cache-Control':        { description: 'How long the response may be cached', example: 'public, max-age=3600' },
  'Content-Disposition':  { description: 'The file name of the download', example: 'attachment; filename="feed.csv"' },
  'Content-Language':     { description: 'The language of the texts', example: 'de' },
  'Content-Range':        { description: 'Which bytes these are, and of how many', example: 'bytes 0-1023/146515' },
  'ETag':                 { description: 'Identifies this version: send it as `If-None-Match`', example: '"dMvGbB3Zp1mT0cA9xk2yQ7eWf5h"' },
  'Idempotency-Replayed': { description: '`true`: a request with this Idempotency-Key had come before, and is not charged again', example: 'true' },
  'Last-Modified':        { description: 'When the file was written', example: 'Thu, 26 Nov 2026 09:30:00 GMT' },
  'Location':             { description: 'Where the created or requested resource is', example: '/intake/v1/jobs/job_01JD3V6Y2M' },
  'Preference-Applied':   { description: 'What was applied of `Prefer`', example: 'respond-async' },
  'RateLimit':            { description: 'What is left (`r`) of rate and daily quota, and in how many seconds (`t`) they reset', example: '"rate";r=119;t=1, "day";r=4999;t=40000' },
  'RateLimit-Limit':      { description: 'Requests per window', example: '120' },
  'RateLimit-Policy':     { description: 'Amount (`q`) and window in seconds (`w`) of rate and daily quota', example: '"rate";q=120;w=60, "day";q=5000;w=86400' },
  'RateLimit-Remaining':  { description: 'Requests left in this window', example: '119' },
  'RateLimit-Reset':      { description: 'Seconds until the window is full again', example: '1' },
  'Retry-After':          { description: 'Seconds to wait before the next request', example: '2' },
  'Server-Timing':        { description: 'How long each step took, milliseconds', example: 'decode;dur=12.1, segment;dur=310.4' },
  'Set-Cookie':           { description: 'The session of the console', example: 'selvage-console=…; HttpOnly; SameSite=Strict' },
  'WWW-Authenticate':     { description: 'How to authenticate, and which scope is missing', example: 'Bearer realm="selvage", error="insufficient_scope", scope="taxonomy:classify"' },
  'X-Credits-Charged':    { description: 'Units of quota that the image cost', example: '1' },
  'X-Cutout-Alpha':       { description: '`kept`: the image kept its own alpha, by `alpha=keep`; absent if it was cut out', example: 'kept' },
  'X-Cutout-Confidence':  { description: 'How certain the cut-out is, 0 to 1', example: '0.973' },
  'X-Cutout-Review':      { description: 'What was noticed about the cut-out; absent if nothing was', example: 'cut-by-frame, gap-unsure' },
  'X-Cutout-Review-Needed': { description: 'Whether a person should look at the cut-out: `true` or `false`', example: 'true' },
  'X-Cutout-Rules':       { description: 'Whether the output meets the rules of `rules`, and which not; absent without them', example: 'failed; fill-ratio, fringe' },
  'X-Foreground-Height':  { description: 'Height of the subject’s bounding box, pixels', example: '1180' },
  'X-Foreground-Left':    { description: 'Left edge of the subject’s bounding box, pixels', example: '40' },
  'X-Foreground-Top':     { description: 'Top edge of the subject’s bounding box, pixels', example: '12' },
  'X-Foreground-Width':   { description: 'Width of the subject’s bounding box, pixels', example: '880' },
  'X-Height':             { description: 'Height of the image, pixels', example: '1200' },
  'X-Max-Height':         { description: 'Height of the image at the largest size, pixels', example: '1200' },
  'X-Max-Width':          { description: 'Width of the image at the largest size, pixels', example: '960' },
  'X-Model':              { description: 'The model that made the cut-out', example: 'garment-cutout@2026-11-23' },
  'X-RateLimit-Limit':    { description: 'Requests per window', example: '120' },
  'X-RateLimit-Remaining': { description: 'Requests left in this window', example: '119' },
  'X-RateLimit-Reset':    { description: 'When the window is full again, epoch seconds', example: '1793000000' },
  'X-Request-Id':         { description: 'Identifies this request; keep it in your logs', example: '6f8dd2d4-5f0a-4cf4-9d34-0f7b0d2f1f11' },
  'X-Type':               { description: 'The declared type of the subject', example: 'product' },
  'X-Width':              { description: 'Width of the image, pixels', example: '960' },
} as const satisfies Record<string, HeaderDoc>;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

// biome-ignore format: a table reads best aligned
export const REQUEST_HEADERS = {
  'Idempotency-Key': { description: '1 to 255 visible characters. A repeated request with the same key and content gets the first response, for a day', example: '8e03978e-40d5-43e8-bc93-6894a57f9324' },
  'If-Range':        { description: 'The `ETag` or `Last-Modified` of the parts you have: the whole file if it has changed since', example: '"dMvGbB3Zp1mT0cA9xk2yQ7eWf5h"' },
  'If-None-Match':   { description: 'The `ETag` of the version you have: 304 if it is still the current one', example: '"dMvGbB3Zp1mT0cA9xk2yQ7eWf5h"' },
  'Last-Event-ID':   { description: 'The id of the last event you received: the stream continues after it', example: '7' },
  'Prefer':          { description: '`respond-async` for a job, or `wait=<seconds>` for a job if the result takes longer (RFC 7240)', example: 'respond-async, wait=10' },
  'Range':           { description: 'The part to send', example: 'bytes=0-1023' },
  'X-Request-Id':    { description: 'Your own id of this request: 1 to 128 of `A-Z a-z 0-9 . _ : -`', example: 'order-4711' },
} as const satisfies Record<string, HeaderDoc>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;

/**
 * The headers that all responses have, or all to a key. The description of the document says so once; they are listed
 * where a success costs quota.
 */
export const COMMON_HEADERS: readonly ResponseHeader[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
];

/** What limits say about themselves. */
export const LIMIT_HEADERS: readonly ResponseHeader[] = [
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

const headerDoc = (name: ResponseHeader) => {
  const { description, example } = RESPONSE_HEADERS[name];
  return { description, schema: { type: 'string', examples: [example] } };
};

export const headerComponents = (names: Iterable<ResponseHeader>) =>
  Object.fromEntries([...names].sort().map((name) => [name, headerDoc(name)]));

/**
 * Returns the members of `components.parameters` for these names. Descriptions are those of the schemas:
 * generators would repeat a parameter's own at every operation.
 */
export const headerParameters = (names: readonly RequestHeader[]) =>
  Object.fromEntries(
    [...new Set(names)].sort().map((name) => {
      const { description, example } = REQUEST_HEADERS[name];
      const schema = { type: 'string', description, examples: [example] };
      return [name, { name, in: 'header', schema }];
    }),
  );

export const headerRefs = (names: readonly ResponseHeader[]) =>
  Object.fromEntries(
    [...new Set(names)].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
