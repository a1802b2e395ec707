import type { CallOptions, Client, LookClient } from './interface.ts';
import { formPayload, jsonPayload } from './payload.ts';
import type { Transport } from './transport.ts';

/** Outfits: every answer is computed from its request alone. */
export function lookClient({ ask }: Transport): LookClient {
  const compute =
    <Request, Response extends object>(name: string) =>
    (request: Request, options?: CallOptions) => {
      const sending = { path: `/look/v1/${name}`, body: jsonPayload(request) };
      return ask<Response>({ method: 'POST', ...sending }, options);
    };

  return {
    params: (options) => ask({ method: 'GET', path: '/look/v1/params' }, options),
    meta: (query, options) => ask({ method: 'GET', path: '/look/v1/meta', query }, options),
    targets: compute('targets'),
    candidates: compute('candidates'),
    score: compute('score'),
    outfits: compute('outfits'),
    calibrate: compute('calibrate'),
    day: compute('day'),
  };
}

/** What garments are called. */
export function taxonomyClient({ ask }: Transport): Pick<Client, 'classify' | 'taxonomyOptions'> {
  return {
    taxonomyOptions({ sections, ...rest } = {}, options) {
      const query = { ...rest, sections: sections?.toString() };
      return ask({ method: 'GET', path: '/taxonomy/v1/options', query }, options);
    },
    classify({ image, attributes, options: chosen }, options) {
      const words = { attributes, options: chosen };
      const body = image ? formPayload({ image, ...words }) : jsonPayload(words);
      return ask({ method: 'POST', path: '/taxonomy/v1/taxonomy', body }, options);
    },
  };
}
