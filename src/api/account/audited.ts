import type { Route } from '../../http/route.ts';
import type { AnsweredRequest } from '../../http/server.ts';

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

const kept = (value: string): string => (PLAIN_PARAM.test(value) ? value : '…');

/** Returns the parameters of a path, and the id of what was made, as they may be kept. */
export const keptIds = ({ params, made }: Pick<AnsweredRequest, 'params' | 'made'>) => ({
  params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, kept(value)])),
  ...(made !== undefined && { made: kept(made) }),
});
