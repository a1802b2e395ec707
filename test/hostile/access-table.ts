import type { Scope } from '../../src/auth/key-record.ts';

/**
 * The scope each endpoint needs, taken from the contract and the pages about intake, feeds, webhooks and the
 * endpoints for clients of remove.bg, rembg and withoutBG; nothing here is taken from the routes. `any` is a key of any scope.
 */
export interface Access {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** The scope it needs, `any` scope, or `nobody` if it needs no key. */
  needs: Scope | 'any' | 'nobody';
  /** The part of `/intake` it belongs to. */
  right?: 'jobs' | 'review' | 'sources' | 'settings' | 'webhooks';
  /** The status for an authorized request with `body` and ids that do not exist. */
  authorized: number;
  /** The status without a live key, if it is not 401. */
  unauthorized?: number;
  body?: object;
}

const URL = 'http://shop.invalid/a.jpg';
const REMOVE = 'background-removal:process';
const COMPUTE = 'look-engine:compute';
const JOB = { imageUrl: URL, operations: ['remove-background'] };

// biome-ignore format: a table reads best aligned
export const ACCESS: readonly Access[] = [
  { method: 'POST',   path: '/bg/v1/background-removals',          needs: REMOVE,    authorized: 400, body: {} },
  { method: 'POST',   path: '/bg/v1/refinements',                  needs: REMOVE,    authorized: 400, body: {} },
  { method: 'GET',    path: '/taxonomy/v1/options',                needs: 'nobody',  authorized: 200 },
  { method: 'POST',   path: '/taxonomy/v1/taxonomy',               needs: 'taxonomy:classify', authorized: 400, body: {} },
  { method: 'POST',   path: '/taxonomy/v1/garments',               needs: 'taxonomy:classify', authorized: 400, body: {} },
  { method: 'GET',    path: '/look/v1/params',                     needs: 'nobody',  authorized: 200 },
  { method: 'GET',    path: '/look/v1/meta',                       needs: 'look-engine:read', authorized: 200 },
  { method: 'POST',   path: '/look/v1/targets',                    needs: COMPUTE,   authorized: 400, body: {} },
  { method: 'POST',   path: '/look/v1/candidates',                 needs: COMPUTE,   authorized: 400, body: {} },
  { method: 'POST',   path: '/look/v1/score',                      needs: COMPUTE,   authorized: 400, body: {} },
  { method: 'POST',   path: '/look/v1/outfits',                    needs: COMPUTE,   authorized: 400, body: {} },
  { method: 'POST',   path: '/look/v1/day',                        needs: COMPUTE,   authorized: 400, body: {} },
  { method: 'POST',   path: '/look/v1/trip',                       needs: COMPUTE,   authorized: 400, body: {} },
  { method: 'POST',   path: '/look/v1/calibrate',                  needs: 'look-engine:calibrate', authorized: 400, body: {} },
  { method: 'POST',   path: '/intake/v1/jobs',                     needs: REMOVE,    right: 'jobs', authorized: 202, body: JOB },
  { method: 'GET',    path: '/intake/v1/jobs',                     needs: 'any',     right: 'jobs', authorized: 200 },
  { method: 'GET',    path: '/intake/v1/jobs/{id}',                needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'DELETE', path: '/intake/v1/jobs/{id}',                needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/jobs/{id}/result',         needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/jobs/{id}/garments/{index}', needs: 'any',   right: 'jobs', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/jobs/{id}/cancel',         needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/jobs/{id}/refinements',    needs: REMOVE,    right: 'jobs', authorized: 400, body: {} },
  { method: 'DELETE', path: '/intake/v1/jobs/{id}/refinements/{version}', needs: REMOVE, right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/usage',                    needs: 'any',     authorized: 200 },
  { method: 'POST',   path: '/intake/v1/batches',                  needs: REMOVE,    right: 'jobs', authorized: 201, body: {} },
  { method: 'GET',    path: '/intake/v1/batches',                  needs: 'any',     right: 'jobs', authorized: 200 },
  { method: 'POST',   path: '/intake/v1/batches/{id}/items',       needs: 'any',     right: 'jobs', authorized: 415, body: {} },
  { method: 'POST',   path: '/intake/v1/batches/{id}/seal',        needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/batches/{id}/cancel',      needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'DELETE', path: '/intake/v1/batches/{id}',             needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}',             needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/results',     needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/archive',     needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/errors',      needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/manifest',    needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/rows/{row}/cutout', needs: 'any', right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/rows/{row}/garments/{index}', needs: 'any', right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/events',      needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/review',           needs: 'any',     right: 'review', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/batches/{id}/review',           needs: 'any',     right: 'review', authorized: 404, body: { decision: 'approved', minConfidence: 1 } },
  { method: 'GET',    path: '/intake/v1/batches/{id}/review/{row}',     needs: 'any',     right: 'review', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/batches/{id}/review/{row}',     needs: 'any',     right: 'review', authorized: 404, body: { decision: 'approved', revision: 0 } },
  { method: 'GET',    path: '/intake/v1/batches/{id}/review/summary',   needs: 'any', right: 'review', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/review/{row}/photo', needs: 'any', right: 'review', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/batches/{id}/review/{row}/refinements', needs: REMOVE, right: 'review', authorized: 404, body: {} },
  { method: 'DELETE', path: '/intake/v1/batches/{id}/review/{row}/refinements/{version}', needs: REMOVE, right: 'review', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/duplicates',  needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/sources',                  needs: 'any',     right: 'sources', authorized: 200 },
  { method: 'GET',    path: '/intake/v1/sources/{id}',             needs: 'any',     right: 'sources', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/sources/{id}/failures',    needs: 'any',     right: 'sources', authorized: 404 },
  { method: 'PUT',    path: '/intake/v1/sources/{id}',             needs: REMOVE,    right: 'sources', authorized: 404, body: {} },
  { method: 'POST',   path: '/intake/v1/sources/{id}/events',      needs: REMOVE,    right: 'sources', authorized: 404, body: {} },
  { method: 'POST',   path: '/intake/v1/sources/{id}/scan',        needs: REMOVE,    right: 'sources', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/feeds',                    needs: REMOVE,    right: 'jobs', authorized: 202, body: { url: URL } },
  { method: 'GET',    path: '/intake/v1/feeds',                    needs: 'any',     right: 'jobs', authorized: 200 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs',          needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/feeds/{id}/runs',          needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/feeds/{id}/runs/{run}/cancel', needs: 'any', right: 'jobs', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/feeds/{id}/runs/{run}/confirm', needs: 'any', right: 'jobs', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/feeds/inspect',            needs: 'any',     right: 'jobs', authorized: 415, body: {} },
  { method: 'DELETE', path: '/intake/v1/feeds/{id}',               needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'PATCH',  path: '/intake/v1/feeds/{id}',               needs: 'any',     right: 'jobs', authorized: 404, body: { format: 'auto' } },
  { method: 'GET',    path: '/intake/v1/feeds/{id}',               needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}',    needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}/report', needs: 'any', right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}/export', needs: 'any', right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/export',        needs: 'any',     right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}/events', needs: 'any', right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}/duplicates', needs: 'any', right: 'jobs', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}/review',  needs: 'any',     right: 'review', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/feeds/{id}/runs/{run}/review',  needs: 'any',     right: 'review', authorized: 404, body: { decision: 'approved', minConfidence: 1 } },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}/review/{row}',needs: 'any',     right: 'review', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/feeds/{id}/runs/{run}/review/{row}',needs: 'any',     right: 'review', authorized: 404, body: { decision: 'approved', revision: 0 } },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}/review/summary',   needs: 'any', right: 'review', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}/review/{row}/photo', needs: 'any', right: 'review', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/feeds/{id}/runs/{run}/review/{row}/refinements', needs: REMOVE, right: 'review', authorized: 404, body: {} },
  { method: 'DELETE', path: '/intake/v1/feeds/{id}/runs/{run}/review/{row}/refinements/{version}', needs: REMOVE, right: 'review', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/rules',                    needs: 'any',     right: 'settings', authorized: 200 },
  { method: 'GET',    path: '/intake/v1/rules/{name}',             needs: 'any',     right: 'settings', authorized: 404 },
  { method: 'PUT',    path: '/intake/v1/rules/{name}',             needs: REMOVE,    right: 'settings', authorized: 400, body: {} },
  { method: 'DELETE', path: '/intake/v1/rules/{name}',             needs: REMOVE,    right: 'settings', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/presets',                  needs: 'any',     right: 'settings', authorized: 200 },
  { method: 'GET',    path: '/intake/v1/presets/{name}',           needs: 'any',     right: 'settings', authorized: 404 },
  { method: 'PUT',    path: '/intake/v1/presets/{name}',           needs: REMOVE,    right: 'settings', authorized: 400, body: { colour: 'red' } },
  { method: 'DELETE', path: '/intake/v1/presets/{name}',           needs: REMOVE,    right: 'settings', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/categories',               needs: 'any',     right: 'settings', authorized: 200 },
  { method: 'PUT',    path: '/intake/v1/categories',               needs: 'taxonomy:classify', right: 'settings', authorized: 400, body: {} },
  { method: 'DELETE', path: '/intake/v1/categories',               needs: 'taxonomy:classify', right: 'settings', authorized: 204 },
  { method: 'POST',   path: '/intake/v1/webhooks/secret',          needs: 'any',     right: 'webhooks', authorized: 201 },
  { method: 'GET',    path: '/intake/v1/webhooks',                 needs: 'any',     right: 'webhooks', authorized: 200 },
  { method: 'POST',   path: '/intake/v1/webhooks/enable',          needs: 'any',     right: 'webhooks', authorized: 400, body: {} },
  { method: 'POST',   path: '/intake/v1/webhooks/test',            needs: 'any',     right: 'webhooks', authorized: 400, body: {} },
  { method: 'GET',    path: '/intake/v1/webhooks/deliveries',      needs: 'any',     right: 'webhooks', authorized: 200 },
  { method: 'GET',    path: '/intake/v1/webhooks/deliveries/{id}', needs: 'any',     right: 'webhooks', authorized: 404 },
  { method: 'POST',   path: '/intake/v1/webhooks/deliveries/{id}/replay', needs: 'any', right: 'webhooks', authorized: 404 },
  { method: 'GET',    path: '/intake/v1/files/{name}',             needs: 'nobody',  authorized: 400 },
  { method: 'POST',   path: '/compat/removebg/v1.0/removebg',      needs: REMOVE,    authorized: 400, unauthorized: 403, body: {} },
  { method: 'GET',    path: '/compat/removebg/v1.0/account',       needs: 'any',     authorized: 200, unauthorized: 403 },
  { method: 'POST',   path: '/compat/rembg/api/remove',            needs: REMOVE,    authorized: 422, body: {} },
  { method: 'GET',    path: '/compat/rembg/api/remove',            needs: REMOVE,    authorized: 422 },
  { method: 'POST',   path: '/compat/withoutbg/api/remove-background', needs: REMOVE, authorized: 422, body: {} },
  { method: 'POST',   path: '/access/v1/requests',                 needs: 'nobody',  authorized: 400, body: {} },
  { method: 'POST',   path: '/access/v1/requests/{id}/key',        needs: 'nobody',  authorized: 400, body: {} },
  { method: 'GET',    path: '/access/v1/requests',                 needs: 'operations:access', authorized: 200 },
  { method: 'POST',   path: '/access/v1/requests/{id}/approve',    needs: 'operations:access', authorized: 404, body: {} },
  { method: 'POST',   path: '/access/v1/requests/{id}/deny',       needs: 'operations:access', authorized: 404 },
  { method: 'GET',    path: '/account/v1/keys',                    needs: 'account',  authorized: 200 },
  { method: 'POST',   path: '/account/v1/keys',                    needs: 'account',  authorized: 400, body: { scopes: [] } },
  { method: 'POST',   path: '/account/v1/keys/{id}/rotate',        needs: 'account',  authorized: 404, body: {} },
  { method: 'DELETE', path: '/account/v1/keys/{id}',               needs: 'account',  authorized: 404 },
  { method: 'GET',    path: '/account/v1/usage',                   needs: 'account',  authorized: 200 },
  { method: 'GET',    path: '/account/v1/requests/{id}',           needs: 'account',  authorized: 404 },
  { method: 'GET',    path: '/account/v1/audit',                   needs: 'operations:access', authorized: 200 },
  { method: 'POST',   path: '/console/session',                    needs: 'nobody',  authorized: 400, body: {} },
  { method: 'GET',    path: '/console/session',                    needs: 'nobody',  authorized: 200 },
  { method: 'DELETE', path: '/console/session',                    needs: 'nobody',  authorized: 204 },
  { method: 'POST',   path: '/console/photos',                     needs: REMOVE,    authorized: 400, body: {} },
  { method: 'GET',    path: '/livez',                              needs: 'nobody',  authorized: 200 },
  { method: 'GET',    path: '/readyz',                             needs: 'nobody',  authorized: 200 },
  { method: 'GET',    path: '/metrics',                            needs: 'nobody',  authorized: 200 },
  { method: 'GET',    path: '/problems',                           needs: 'nobody',  authorized: 200 },
  { method: 'GET',    path: '/problems/{type}',                    needs: 'nobody',  authorized: 404 },
  { method: 'GET',    path: '/ops/queues',                         needs: 'operations:read', authorized: 200 },
];

/** Endpoints outside of the OpenAPI document: pages for people. */
export const UNDOCUMENTED = ['/ops/queues'];
