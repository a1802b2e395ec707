import type { Route } from '../route.ts';
import parts from './parts.json' with { type: 'json' };

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

export const securitySchemes = (routes: readonly Route[]) => ({
  ...parts.securitySchemes,
  ...Object.fromEntries(
    routes.flatMap(({ keyHeader: name }) =>
      name ? [[name, { type: 'apiKey', in: 'header', name, description: 'An API key' }]] : [],
    ),
  ),
});
