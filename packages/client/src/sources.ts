import type { Calls } from './calls.ts';
import type { SourcesClient } from './interface.ts';
import { jsonPayload } from './payload.ts';

const PATH = '/intake/v1/sources';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** The methods of `client.sources`. */
export const sourcesClient = ({ get, getList, post, put }: Calls): SourcesClient => ({
  list: (options) => getList(PATH, 'sources', options),
  get: (id, options) => get(pathOf(id), options),
  put: (id, request, options) => put(pathOf(id), options, jsonPayload(request ?? {})),
  sendEvent: (id, event, options) => post(`${pathOf(id)}/events`, options, jsonPayload(event)),
  scan: (id, options) => post(`${pathOf(id)}/scan`, options),
  failures: (id, { limit = 100, after = '' } = {}, options) =>
    get(`${pathOf(id)}/failures`, options, { limit, after }),
});
