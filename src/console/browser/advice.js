/**
 * What to do about each problem type, in one plain sentence for the person at the page. `unreachable`
 * (the service did not respond), `interrupted` and `cannot-mend` are the page's own types.
 * @type {Readonly<Record<string, string>>}
 */
// biome-ignore format: a table reads best aligned
export const ADVICE = {
  'invalid-request':                'Something is missing or invalid: correct what is listed below and try again.',
  'dictionary-version-unsupported': 'The garment was named by an older version of the dictionary: classify it again.',
  'targets-altered':                'The outfit’s targets were changed in transit: reload the page and try again.',
  'targets-expired':                'The outfit’s targets are too old: reload the page and try again.',
  'unauthorized':                   'Sign in with a valid key, or ask the operator for one.',
  'insufficient-scope':             'Your key does not allow this: ask the operator for one that does.',
  'foreign-origin':                 'Another site tried to use your sign-in: open the console itself and do it there.',
  'base64-not-allowed':     'Your key does not allow base64 images: ask the operator for one that does.',
  'not-found':                      'It does not exist or belongs to someone else: check the list again.',
  'method-not-allowed':             'The page and the service have different versions: reload the page.',
  'request-timeout':                'The upload was too slow: try again, or use a faster connection.',
  'conflict':                       'The state has changed in the meantime: reload the page and try again.',
  'gone':                           'It was deleted or has expired: create it again if you still need it.',
  'payload-too-large':              'The file is too large for this service: choose a smaller one.',
  'range-not-satisfiable':          'The file has changed meanwhile: load it again from its beginning.',
  'unsupported-media-type':         'This file type is not supported: save the image as JPEG, PNG or WebP.',
  'idempotency-mismatch':           'This request was sent before with other contents: start it again.',
  'unprocessable-image':            'This image cannot be processed: choose another one.',
  'rate-limit-exceeded':            'Too many requests at once: wait a moment and continue more slowly.',
  'quota-exceeded':                 'Today’s quota is used up: continue after midnight UTC, or ask the operator for more.',
  'headers-too-large':              'The browser sends too much data with each request: clear this site’s cookies.',
  'damaged':                        'The stored file is damaged: send the image again, and tell the operator the request id.',
  'internal-error':                 'The service failed: try again, and tell the operator the request id if it happens again.',
  'upstream-failed':                'Processing failed: try again, or use another file if it fails twice.',
  'upstream-unavailable':           'The service is starting or very busy: try again in a few seconds.',
  'interrupted':                    'The page was closed meanwhile: try again.',
  'cannot-mend':                    'Reject it, or mend it outside of this review.',
  'unreachable':                    'The service did not respond: check that it runs and that you are online, then try again.',
};
