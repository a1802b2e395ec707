import type { ProblemType } from '../../platform/problem.ts';

export const PROBLEM_CAUSES: Readonly<Record<ProblemType, readonly string[]>> = {
  'invalid-request': [
    'A field is missing, has the wrong type or is out of range: "errors" lists every error with a JSON Pointer.',
    'The body is not well-formed JSON or multipart, or is incomplete.',
    'The image has a known format but cannot be decoded: it is truncated or damaged.',
    'Options conflict, such as a background colour together with a mask only.',
  ],
  'targets-altered': [
    'The targets sent to /look/v1/score differ from those returned by /look/v1/candidates, even if only by rounding.',
    'They come from another installation.',
  ],
  'targets-expired': [
    'The operator has since removed the signing key.',
    'The coefficients have since changed version.',
  ],
  'dictionary-version-unsupported': [
    'A wardrobe item was classified under another major version of the garment dictionary.',
    'A version of the dictionary was requested that is not the present one.',
  ],
  unauthorized: [
    'There is no Authorization header, or it does not start with "Bearer ".',
    'The key is mistyped, was revoked, or belongs to another installation.',
  ],
  'insufficient-scope': [
    'The key is valid but was created for other services; "detail" names the missing scope.',
  ],
  'foreign-origin': ['A page of another site used the session of the console in this browser.'],
  'base64-not-allowed': [
    'return_base64=true was sent with a key that was created without --allow-base64.',
  ],
  'not-found': [
    'The address is mistyped, or lacks /v1.',
    'The job, batch or feed belongs to another client, never existed, or its record has expired.',
  ],
  'method-not-allowed': [
    'The address is right but the method is wrong: for example GET instead of POST.',
  ],
  'request-timeout': [
    'The body arrived too slowly, or stopped arriving.',
    'The connection broke while the body was being sent.',
  ],
  conflict: [
    'The job, batch or run is not finished yet: ask again after Retry-After.',
    'It has ended, so it can no longer be canceled or accept rows.',
    'Your client has its maximum of feeds, or of batches that have not ended.',
    'A request with the same Idempotency-Key, or an upload to the same batch, is in progress.',
    'An upload resumes at another offset than where the last one ended: "offset" in the response is the right one.',
  ],
  gone: ['The retention period of the result has ended.', 'It was deleted.'],
  'payload-too-large': [
    'The image has more bytes or pixels, or a longer side, than this installation accepts.',
    'A JSON body, a row of a feed or a wardrobe exceeds its limit.',
  ],
  'range-not-satisfiable': [
    'Range begins beyond the end of the file; perhaps a shorter one has replaced it.',
  ],
  'unsupported-media-type': [
    'The first bytes of the image are not those of a JPEG, PNG or WebP: HEIC, AVIF, GIF, SVG and PDF are not supported.',
    'The Content-Type of the body is missing or not supported at this address.',
  ],
  'idempotency-mismatch': [
    'The key was used in the last 24 hours with another method, address or body.',
  ],
  'unprocessable-image': [
    'Nothing in the image can be distinguished from its surroundings.',
    'The image does not show the person, the garment or the region that was asked for.',
  ],
  'rate-limit-exceeded': [
    'More requests arrived in a short time than the key allows.',
    'Your client has 20 streams of events open, or two reports or exports of feeds.',
    'Many rows of an upload were rejected: 50 of them count as one request, one with an image as another.',
  ],
  'quota-exceeded': [
    'As many images were processed today (UTC) as the key allows.',
    'As many bytes of images, rows and feeds were uploaded today (UTC) as the key allows to store.',
  ],
  'headers-too-large': ['The headers together are larger than 16 KiB; often because of a cookie.'],
  'internal-error': ['An unexpected error in the service.'],
  damaged: [
    'The disk or the object storage returns other bytes than were written, fewer of them, or none.',
    'Something other than the service has changed or deleted the file.',
  ],
  'upstream-failed': [
    'The model failed on this image again and again. For a day, the same image is rejected immediately.',
    'The result was damaged.',
  ],
  'upstream-unavailable': [
    'So many images are waiting that this one would not be finished in time. No quota is used.',
    'Redis, object storage or all workers are unavailable, or the server is shutting down.',
    'The image was not finished within the time limit of a synchronous request: submit it as a job instead.',
  ],
};
