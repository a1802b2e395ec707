/**
 * Printed text that has changed: as earlier commits print it, and as it is printed now. `bench compare`
 * pairs lines by it. Longer texts come before those they contain.
 */
// biome-ignore format: a table reads best aligned
export const RENAMED_TEXTS: readonly (readonly [was: string, is: string])[] = [
  ['bare loop, pictures a second',         'bare loop, images per second'],
  ['batch by address, pictures a second',  'batch by URL, images per second'],
  ['pictures a second',                    'images per second'],
  ['picture kB',                           'image kB'],
  ['added to the child p50 ms',            'overhead over the child p50 ms'],
  ['added to the child p95 ms',            'overhead over the child p95 ms'],
  ['CPU of the parent a picture ms',       'parent CPU per image ms'],
  ['CPU of the children a picture ms',     'child CPU per image ms'],
  ['added to the engine p50 ms',           'overhead over the engine p50 ms'],
  ['added to the engine p95 ms',           'overhead over the engine p95 ms'],
  ['idleMebibytes',                        'idle memory, MiB'],
  ['ndjson ids read again, seconds',       'ndjson upload resumed, seconds'],
  ['csv ids read again, seconds',          'csv upload resumed, seconds'],
  ['its images changed',                   're-import: images changed'],
  ['its images unchanged',                 're-import: images unchanged'],
  ['its requests to the shop',             're-import: requests to the shop'],
  ['square and tensor',                    'resize and tensor'],
  ['peak resident',                        'peak memory'],
  ['removals a second',                    'removals per second'],
  ['one alone',                            'a single one'],
  ['what the door lets wait',              'the wait allowed'],
  ['Retry-After was true',                 'Retry-After was accurate'],
  ['memory of the gateway, last fifth to second', 'memory growth, last fifth to second: gateway'],
  ['memory of the worker and its children, last fifth to second', 'memory growth, last fifth to second: worker with children'],
  ['memory of Redis, last fifth to second', 'memory growth, last fifth to second: Redis'],
  ['as fast as before the load, after its end', 'time until as fast as before the load'],
  ['the generator itself sent late: p99',  'delay of the generator itself: p99'],
  ['the gateway',                          'gateway'],
  ['the worker and its children',          'worker with children'],
  ['Of 0 failures of 0 pictures 0 are among', '0 failures in 0 images; 0 of them are among'],
  ['whole answers from text',              'full responses from text'],
  ['options, built before',                'options, prebuilt'],
  ['usual',                                'typical'],
  ['refused',                              'rejected'],
  ['place',                                'position'],
  ['pictures',                             'images'],
];

const JSON_KEYS: Readonly<Record<string, string>> = Object.fromEntries(
  RENAMED_TEXTS.map(([was, is]) => [is, was]),
);

/** Returns the figures under the keys that the output of `--json` has always had. */
export const withJsonKeys = <T>(figures: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(
    Object.entries(figures).map(([label, value]) => [JSON_KEYS[label] ?? label, value]),
  );
