import type { Scope } from '../../src/auth/scopes.ts';

/**
 * Who may do what, written down from the contract and the pages about intake, feeds, webhooks and the door for
 * clients of remove.bg; nothing here is taken from the routes. `any` is a key of whatever scope.
 */
export interface Access {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** The scope it takes, `any` of them, or `nobody` where no key is asked for. */
  needs: Scope | 'any' | 'nobody';
  /** What is answered to whoever is let in with `body`, and ids that never were. */
  letIn: number;
  /** What is answered to whoever shows no live key, where not 401. */
  keptOut?: number;
  body?: object;
}

const URL = 'http://127.0.0.1:1/a.jpg';
const REMOVE = 'background-removal:process';
const COMPUTE = 'look-engine:compute';
const JOB = { imageUrl: URL, operations: ['remove-background'] };

// biome-ignore format: a table reads best aligned
export const ACCESS: readonly Access[] = [
  { method: 'POST',   path: '/bg/v1/background-removals',          needs: REMOVE,    letIn: 400, body: {} },
  { method: 'GET',    path: '/taxonomy/v1/options',                needs: 'nobody',  letIn: 200 },
  { method: 'POST',   path: '/taxonomy/v1/taxonomy',               needs: 'taxonomy:classify', letIn: 400, body: {} },
  { method: 'GET',    path: '/look/v1/params',                     needs: 'nobody',  letIn: 200 },
  { method: 'GET',    path: '/look/v1/meta',                       needs: 'look-engine:read', letIn: 200 },
  { method: 'POST',   path: '/look/v1/targets',                    needs: COMPUTE,   letIn: 400, body: {} },
  { method: 'POST',   path: '/look/v1/candidates',                 needs: COMPUTE,   letIn: 400, body: {} },
  { method: 'POST',   path: '/look/v1/score',                      needs: COMPUTE,   letIn: 400, body: {} },
  { method: 'POST',   path: '/look/v1/outfits',                    needs: COMPUTE,   letIn: 400, body: {} },
  { method: 'POST',   path: '/look/v1/day',                        needs: COMPUTE,   letIn: 400, body: {} },
  { method: 'POST',   path: '/look/v1/calibrate',                  needs: 'look-engine:calibrate', letIn: 400, body: {} },
  { method: 'POST',   path: '/intake/v1/jobs',                     needs: REMOVE,    letIn: 202, body: JOB },
  { method: 'GET',    path: '/intake/v1/jobs/{id}',                needs: 'any',     letIn: 404 },
  { method: 'DELETE', path: '/intake/v1/jobs/{id}',                needs: 'any',     letIn: 404 },
  { method: 'GET',    path: '/intake/v1/jobs/{id}/result',         needs: 'any',     letIn: 404 },
  { method: 'POST',   path: '/intake/v1/jobs/{id}/cancel',         needs: 'any',     letIn: 404 },
  { method: 'GET',    path: '/intake/v1/usage',                    needs: 'any',     letIn: 200 },
  { method: 'POST',   path: '/intake/v1/batches',                  needs: REMOVE,    letIn: 201, body: {} },
  { method: 'GET',    path: '/intake/v1/batches',                  needs: 'any',     letIn: 200 },
  { method: 'POST',   path: '/intake/v1/batches/{id}/items',       needs: 'any',     letIn: 415, body: {} },
  { method: 'POST',   path: '/intake/v1/batches/{id}/seal',        needs: 'any',     letIn: 404 },
  { method: 'POST',   path: '/intake/v1/batches/{id}/cancel',      needs: 'any',     letIn: 404 },
  { method: 'DELETE', path: '/intake/v1/batches/{id}',             needs: 'any',     letIn: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}',             needs: 'any',     letIn: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/results',     needs: 'any',     letIn: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/errors',      needs: 'any',     letIn: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/manifest',    needs: 'any',     letIn: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/rows/{row}/cutout', needs: 'any', letIn: 404 },
  { method: 'GET',    path: '/intake/v1/batches/{id}/events',      needs: 'any',     letIn: 404 },
  { method: 'POST',   path: '/intake/v1/feeds',                    needs: REMOVE,    letIn: 202, body: { url: URL } },
  { method: 'GET',    path: '/intake/v1/feeds',                    needs: 'any',     letIn: 200 },
  { method: 'POST',   path: '/intake/v1/feeds/{id}/runs',          needs: 'any',     letIn: 404 },
  { method: 'POST',   path: '/intake/v1/feeds/{id}/runs/{run}/cancel', needs: 'any', letIn: 404 },
  { method: 'DELETE', path: '/intake/v1/feeds/{id}',               needs: 'any',     letIn: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}',               needs: 'any',     letIn: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}',    needs: 'any',     letIn: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}/report', needs: 'any', letIn: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}/export', needs: 'any', letIn: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/export',        needs: 'any',     letIn: 404 },
  { method: 'GET',    path: '/intake/v1/feeds/{id}/runs/{run}/events', needs: 'any', letIn: 404 },
  { method: 'POST',   path: '/intake/v1/webhooks/secret',          needs: 'any',     letIn: 201 },
  { method: 'GET',    path: '/intake/v1/webhooks',                 needs: 'any',     letIn: 200 },
  { method: 'POST',   path: '/intake/v1/webhooks/enable',          needs: 'any',     letIn: 400, body: {} },
  { method: 'GET',    path: '/intake/v1/webhooks/deliveries',      needs: 'any',     letIn: 200 },
  { method: 'GET',    path: '/intake/v1/webhooks/deliveries/{id}', needs: 'any',     letIn: 404 },
  { method: 'POST',   path: '/intake/v1/webhooks/deliveries/{id}/replay', needs: 'any', letIn: 404 },
  { method: 'GET',    path: '/intake/v1/files/{name}',             needs: 'nobody',  letIn: 400 },
  { method: 'POST',   path: '/compat/removebg/v1.0/removebg',      needs: REMOVE,    letIn: 400, keptOut: 403, body: {} },
  { method: 'GET',    path: '/compat/removebg/v1.0/account',       needs: 'any',     letIn: 200, keptOut: 403 },
  { method: 'POST',   path: '/console/session',                    needs: 'nobody',  letIn: 400, body: {} },
  { method: 'GET',    path: '/console/session',                    needs: 'nobody',  letIn: 200 },
  { method: 'DELETE', path: '/console/session',                    needs: 'nobody',  letIn: 204 },
  { method: 'GET',    path: '/livez',                              needs: 'nobody',  letIn: 200 },
  { method: 'GET',    path: '/readyz',                             needs: 'nobody',  letIn: 200 },
  { method: 'GET',    path: '/metrics',                            needs: 'nobody',  letIn: 200 },
  { method: 'GET',    path: '/problems',                           needs: 'nobody',  letIn: 200 },
  { method: 'GET',    path: '/problems/{type}',                    needs: 'nobody',  letIn: 404 },
  { method: 'GET',    path: '/ops/queues',                         needs: 'operations:read', letIn: 200 },
];

/** Served beside the documented endpoints: pages for people. */
export const UNDOCUMENTED = ['/ops/queues'];
