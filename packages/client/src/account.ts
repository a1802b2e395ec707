import type { Calls } from './calls.ts';
import type { AccountClient } from './interface.ts';
import { jsonPayload } from './payload.ts';

const KEYS = '/account/v1/keys';
const pathOf = (id: string): string => `${KEYS}/${encodeURIComponent(id)}`;

/** The methods of `client.account`. */
export const accountClient = ({ get, getList, post, remove }: Calls): AccountClient => ({
  listKeys: (options) => getList(KEYS, 'keys', options),
  createKey: (request = {}, options) => post(KEYS, options, jsonPayload(request)),
  rotateKey: (id, request = {}, options) =>
    post(`${pathOf(id)}/rotate`, options, jsonPayload(request)),
  revokeKey: (id, options) => remove(pathOf(id), options),
  usage: (query, options) => get('/account/v1/usage', options, { ...query }),
  findRequests: (requestId, options) =>
    getList(`/account/v1/requests/${encodeURIComponent(requestId)}`, 'requests', options),
  audit: (query, options) => get('/account/v1/audit', options, { ...query }),
});
