import type { Route } from '../route.ts';

/** A key with the scope, in any place that it may be sent, or a session of the console. */
export function security({
  scope,
  keyHeader,
}: Pick<Route, 'scope' | 'keyHeader'>): Record<string, string[]>[] {
  if (scope === 'keyless') return [];
  const scopes = scope === 'any-key' ? [] : [scope];
  return [
    { apiKey: scopes },
    ...(keyHeader ? [{ [keyHeader]: scopes }] : []),
    { consoleSession: scopes, consoleRequest: [] },
  ];
}

const SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key: `Bearer slv_…`. The listed names are the scopes that it needs. Operations of `/intake` also need the right to their part, which a key with a scope of an operation there has unless it was created with fewer.',
  },
  consoleSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'selvage-console',
    description: 'The session of a page of the console, created by `POST /console/session`.',
  },
  consoleRequest: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Selvage-Console',
    description: '`1`, with the session: another site cannot send this header.',
  },
};

export const securitySchemes = (routes: readonly Route[]) => ({
  ...SCHEMES,
  ...Object.fromEntries(
    routes.flatMap(({ keyHeader: name }) =>
      name ? [[name, { type: 'apiKey', in: 'header', name, description: 'An API key' }]] : [],
    ),
  ),
});
