import type { Registry } from 'prom-client';
import type { Route } from '../http/route.ts';
import { removalRoutes } from './bg.ts';
import { type Checks, healthRoutes } from './health.ts';
import { createImageWork, type ImageWorkParts } from './image-work.ts';

export interface ApiParts {
  images: ImageWorkParts;
  checks: Checks;
  metrics: Registry;
}

/** The whole endpoint table. */
export function routeTable({ images, checks, metrics }: ApiParts): Route[] {
  const work = createImageWork(images);
  return [...removalRoutes(work), ...healthRoutes(checks, metrics)];
}
