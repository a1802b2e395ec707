import type { Calls } from './calls.ts';
import type { AccessClient } from './interface.ts';
import { jsonPayload } from './payload.ts';

const PATH = '/access/v1/requests';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** The methods of `client.access`. */
export const accessClient = ({ getList, post }: Calls): AccessClient => ({
  request: (form, options) => post(PATH, options, jsonPayload(form)),
  fetchKey: (id, secret, options) => post(`${pathOf(id)}/key`, options, jsonPayload({ secret })),
  list: (query, options) => getList(PATH, 'requests', options, { ...query }),
  approve: (id, approval = {}, options) =>
    post(`${pathOf(id)}/approve`, options, jsonPayload(approval)),
  deny: (id, options) => post(`${pathOf(id)}/deny`, options),
});
