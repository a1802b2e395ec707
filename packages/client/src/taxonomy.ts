import type { Client } from './interface.ts';
import { formPayload, jsonPayload } from './payload.ts';
import type { Transport } from './transport.ts';

/** The methods of the client that name garments. */
export function taxonomyClient({
  requestJson,
}: Transport): Pick<Client, 'classify' | 'taxonomyOptions'> {
  return {
    taxonomyOptions: (query, options) =>
      requestJson({ method: 'GET', path: '/taxonomy/v1/options', query: { ...query } }, options),
    classify({ image, attributes, options: classifyOptions }, options) {
      const fields = { attributes, options: classifyOptions };
      const body = image ? formPayload({ image, ...fields }) : jsonPayload(fields);
      return requestJson({ method: 'POST', path: '/taxonomy/v1/taxonomy', body }, options);
    },
  };
}
