/**
 * What to do about each problem the service answers with, in one plain sentence for the person at the
 * page. `unreachable` is the page's own: nothing answered.
 * @type {Readonly<Record<string, string>>}
 */
// biome-ignore format: a table reads best aligned
export const ADVICE = {
  'invalid-request':        'Something is missing or not as expected: mend what is named below and try again.',
  'targets-altered':        'The outfit’s targets were changed on the way: reload the page and try again.',
  'targets-expired':        'The outfit’s targets are too old: reload the page and try again.',
  'unauthorized':           'Sign in with a key that is valid, or ask the operator for one.',
  'insufficient-scope':     'Your key is not meant for this: ask the operator for one that is.',
  'foreign-origin':         'Another site tried to use your sign-in: open the console itself and do it there.',
  'base64-not-allowed':     'Your key may not have pictures as text: ask the operator for one that may.',
  'not-found':              'It is not there, or not yours: look at the list again.',
  'method-not-allowed':     'Page and service do not fit together: reload the page.',
  'request-timeout':        'The upload came too slowly: try again, or from a faster connection.',
  'conflict':               'That does not fit how things stand now: look at them anew and try again.',
  'gone':                   'It was deleted or its time was up: make it again if you still need it.',
  'payload-too-large':      'It is larger than this service takes: choose a smaller picture or file.',
  'unsupported-media-type': 'This kind of file is not read here: save the picture as JPEG, PNG or WebP.',
  'idempotency-mismatch':   'The request was sent before with other contents: start it again.',
  'unprocessable-image':    'Nothing can be made of this picture: take another one.',
  'rate-limit-exceeded':    'That was too much at once: wait a moment and go on more slowly.',
  'quota-exceeded':         'Today’s pictures are used up: go on after midnight UTC, or ask the operator for more.',
  'headers-too-large':      'The browser sends too much with each request: clear this site’s cookies.',
  'internal-error':         'The fault is ours: try again, and tell the operator the request id if it stays.',
  'upstream-failed':        'It could not be worked on: try again, or with another file if it fails twice.',
  'upstream-unavailable':   'The service is starting or very busy: try again in a few seconds.',
  'unreachable':            'Nothing answered: look whether the service runs and you are connected, then try again.',
};
