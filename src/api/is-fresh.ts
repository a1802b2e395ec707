import fresh from 'fresh';
import type { Call } from '../http/route.ts';

/**
 * Reports whether the client has the version with these `etag` and `last-modified`. `Cache-Control: no-cache` does not
 * count: `fetch` adds it to every conditional request.
 */
export const isFresh = ({ headers }: Pick<Call, 'headers'>, version: fresh.Headers): boolean =>
  fresh({ ...headers, 'cache-control': undefined }, version);
