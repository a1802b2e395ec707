import type { Registry } from 'prom-client';
import type { Route } from '../http/route.ts';
import { type RemovalParts, removalRoutes } from './bg.ts';
import { type Checks, healthRoutes } from './health.ts';

export interface ApiParts {
  removal: RemovalParts;
  checks: Checks;
  metrics: Registry;
}

/** The whole endpoint table. */
export const routeTable = (parts: ApiParts): Route[] => [
  ...removalRoutes(parts.removal),
  ...healthRoutes(parts.checks, parts.metrics),
];
