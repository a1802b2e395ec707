import type { Route } from '../../http/route.ts';

/** Work on single items, thousands a minute, and what changes nothing: their usage is counted. */
const NOT_AUDITED: readonly RegExp[] = [
  /^\/(bg|compat|look|taxonomy)\//,
  /^\/console\/photos$/,
  /^\/intake\/v1\/jobs$/,
  /^\/intake\/v1\/feeds\/inspect$/,
  /^\/intake\/v1\/(batches\/:id\/items|sources\/:id\/events)$/,
];

/** Tells whether it is recorded who did this. */
export const isAudited = ({ method, path }: Pick<Route, 'method' | 'path'>): boolean =>
  method !== 'GET' && !NOT_AUDITED.some((each) => each.test(path));

/** Ids and names. A secret that somebody puts in their place is none of them. */
const PLAIN_PARAM = /^(?!slv_|whsec_|access_|eyJ)[\w.~:@ -]{1,64}$/;

/** Returns the parameters of a path as they may be kept. */
export const keptParams = (params: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, PLAIN_PARAM.test(value) ? value : '…']),
  );
