import type { ProblemType } from '../../platform/problem.ts';

/** What brings each problem about. */
export const PROBLEM_CAUSES: Readonly<Record<ProblemType, readonly string[]>> = {
  'invalid-request': [
    'A field is missing, has the wrong type or lies outside its range: "errors" names each fault with a JSON Pointer, all at once.',
    'The body is not well-formed JSON or multipart, or ends early.',
    'The image has a known format but cannot be decoded: it is cut off or damaged.',
    'Options exclude each other, such as a background colour and a mask only.',
  ],
  'targets-altered': [
    'The targets sent to /look/v1/score differ from those that /look/v1/candidates answered, be it by rounding.',
    'They come from another installation.',
  ],
  'targets-expired': [
    'The operator has taken the signing key out of service since.',
    'The coefficients have a new version since.',
  ],
  unauthorized: [
    'There is no Authorization header, or it does not begin with "Bearer ".',
    'The key is mistyped, was revoked, or belongs to another installation.',
  ],
  'insufficient-scope': [
    'The key is good but was made for other services; "detail" names the scope that is missing.',
  ],
  'foreign-origin': ['A page of another site used the session of the console in this browser.'],
  'base64-not-allowed': ['return_base64=true, with a key that was made without --allow-base64.'],
  'not-found': [
    'The address is mistyped, or lacks /v1.',
    'The job, batch or feed belongs to another client, never was, or is long gone.',
  ],
  'method-not-allowed': [
    'The address is right, the method is not: GET where POST is meant, for example.',
  ],
  'request-timeout': [
    'The body came too slowly, or stopped coming.',
    'The connection broke while the body was sent.',
  ],
  conflict: [
    'The job, batch or run is not done yet: ask again after Retry-After.',
    'It has ended, so that it can no longer be called off or take rows.',
    'A request with the same Idempotency-Key, or an upload to the same batch, is under way.',
    'An upload goes on at another place than where the last one ended: "offset" in the answer says where.',
  ],
  gone: ['The retention time of the result has passed.', 'It was deleted.'],
  'payload-too-large': [
    'The image has more bytes or more pixels, or a longer side, than this installation takes.',
    'A JSON body, a row of a feed or a wardrobe is over its limit.',
  ],
  'unsupported-media-type': [
    'The image is not JPEG, PNG or WebP by its first bytes: HEIC, AVIF, GIF, SVG and PDF are not taken.',
    'The body is of a type this address does not take, or of none.',
  ],
  'idempotency-mismatch': [
    'The key was used in the last 24 hours with another method, address or body.',
  ],
  'unprocessable-image': ['Nothing in the image can be told from its surroundings.'],
  'rate-limit-exceeded': ['More requests came in a short time than the key allows.'],
  'quota-exceeded': ['As many images were worked on today (UTC) as the key allows.'],
  'headers-too-large': ['The headers together are larger than 16 KiB; often a cookie is.'],
  'internal-error': ['A fault in the service that nobody has foreseen.'],
  'upstream-failed': [
    'The model failed on this image twice. The image is remembered for a day, and refused at once.',
    'The result came back damaged.',
  ],
  'upstream-unavailable': [
    'So many images wait that this one would not be done in time. Nothing of the quota is used.',
    'Redis, the store or every worker is away, or the server is shutting down.',
    'The image was not done within the time a synchronous request may take: hand it in as a job instead.',
  ],
};
