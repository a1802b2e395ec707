import type { CallOptions, LookClient } from './interface.ts';
import { jsonPayload } from './payload.ts';
import type { Transport } from './transport.ts';

/** The methods of `client.look`. */
export function lookClient({ requestJson }: Transport): LookClient {
  const compute =
    <Request, Result extends object>(name: string) =>
    (request: Request, options?: CallOptions) =>
      requestJson<Result>(
        { method: 'POST', path: `/look/v1/${name}`, body: jsonPayload(request) },
        options,
      );

  return {
    params: (options) => requestJson({ method: 'GET', path: '/look/v1/params' }, options),
    meta: (query, options) =>
      requestJson({ method: 'GET', path: '/look/v1/meta', query: { ...query } }, options),
    targets: compute('targets'),
    candidates: compute('candidates'),
    score: compute('score'),
    outfits: compute('outfits'),
    calibrate: compute('calibrate'),
    day: compute('day'),
    trip: compute('trip'),
  };
}
