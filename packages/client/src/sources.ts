import type { SourceList } from './contract.ts';
import type { SourcesClient } from './interface.ts';
import { jsonPayload } from './payload.ts';
import type { Transport } from './transport.ts';

const PATH = '/intake/v1/sources';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** The methods of `client.sources`. */
export const sourcesClient = ({ requestJson }: Transport): SourcesClient => ({
  list: async (options) =>
    (await requestJson<SourceList>({ method: 'GET', path: PATH }, options)).sources,
  get: (id, options) => requestJson({ method: 'GET', path: pathOf(id) }, options),
  put: (id, request, options) =>
    requestJson({ method: 'PUT', path: pathOf(id), body: jsonPayload(request ?? {}) }, options),
  sendEvent: (id, event, options) =>
    requestJson(
      { method: 'POST', path: `${pathOf(id)}/events`, body: jsonPayload(event) },
      options,
    ),
  scan: (id, options) => requestJson({ method: 'POST', path: `${pathOf(id)}/scan` }, options),
  failures: (id, { limit = 100, after = '' } = {}, options) => {
    const query = new URLSearchParams({ limit: String(limit), after });
    return requestJson({ method: 'GET', path: `${pathOf(id)}/failures?${query}` }, options);
  },
});
