import type { Calls } from './calls.ts';
import type { CallOptions, LookClient } from './interface.ts';
import { jsonPayload } from './payload.ts';

/** The methods of `client.look`. */
export function lookClient({ get, post }: Calls): LookClient {
  const compute =
    <Request, Result extends object>(name: string) =>
    (request: Request, options?: CallOptions) =>
      post<Result>(`/look/v1/${name}`, options, jsonPayload(request));

  return {
    params: (options) => get('/look/v1/params', options),
    meta: (query, options) => get('/look/v1/meta', options, { ...query }),
    targets: compute('targets'),
    candidates: compute('candidates'),
    score: compute('score'),
    outfits: compute('outfits'),
    calibrate: compute('calibrate'),
    day: compute('day'),
    trip: compute('trip'),
  };
}
