import { z } from 'zod';
import { USAGE_DAYS } from '../../auth/key-record.ts';
import { AuditEntry, LoggedRequest } from '../../auth/request-logs.ts';
import type { Gateway } from '../../gateway.ts';
import { type Call, json, jsonDoc, type Reply, type Route, route } from '../../http/route.ts';
import { Problem, unavailable } from '../../platform/problem.ts';
import { notFound } from '../common-problems.ts';
import { PageLinks } from '../intake/page.ts';
import { listOf, named } from '../schema.ts';
import { accountKeyRoutes, SCOPE } from './keys.ts';

/** Sees the requests of all clients. */
const OPERATOR_SCOPE = 'operations:access';

const OperationUsage = z.object({
  operation: z.string().meta({ description: 'The `operationId`' }),
  requests: z.number(),
  units: z.number().meta({ description: 'Of the quota, when they were answered' }),
});

const AccountUsage = named('AccountUsage', {
  client: z.string(),
  days: listOf({
    date: z.iso.date().meta({ description: 'A day in UTC' }),
    units: z
      .number()
      .meta({ description: 'What counts against the quota, rows and refunds included' }),
    operations: z.array(OperationUsage),
  }),
});

const LoggedRequests = z.object({ requests: z.array(LoggedRequest.meta({ id: 'LoggedRequest' })) });

const AUDIT_PATH = '/account/v1/audit';

const who = z.string().min(1).max(400).optional();
const AuditQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  before: z
    .string()
    .regex(/^\d{1,15}-\d{1,15}$/, 'must be the id of an entry, as 1790000000000-0')
    .optional()
    .meta({ description: 'The last id of the previous page' }),
  client: who,
  person: who.meta({ description: 'E-mail and subject, as entries have them' }),
  keyId: who,
  since: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
});
type AuditQuery = z.infer<typeof AuditQuery>;

const AuditPage = named('AuditPage', {
  entries: z.array(
    AuditEntry.extend({
      params: z
        .record(z.string(), z.string())
        .meta({ description: 'Of the path; `…` if it looked like a secret' }),
    }).meta({ id: 'AuditEntry' }),
  ),
  links: PageLinks,
});

const requireLog = ({ days }: { days: number }): void => {
  if (days > 0) return;
  throw new Problem('not-found', 'This service keeps no log of requests: REQUEST_LOG_DAYS is 0');
};

async function usage({ keys, clientUsage }: Gateway, call: Call<{ days: number }>): Promise<Reply> {
  const { client } = call;
  const meters = new Set((await keys.listOf(client)).map(({ meter }) => meter));
  return json({ client, days: await clientUsage.days(client, [...meters], call.query.days) });
}

async function requests({ keys, requestLog }: Gateway, call: Call): Promise<Reply> {
  const { client, scopes } = call.caller;
  requireLog(requestLog);
  const all = scopes.includes(OPERATOR_SCOPE) ? await keys.list() : [];
  const clients = new Set([client, ...all.map((record) => record.client)]);
  const found = await requestLog.find(call.params.id ?? '', [...clients]);
  if (found.length === 0) throw notFound('request');
  return json({ requests: found });
}

async function audit({ auditLog }: Gateway, { query }: Call<AuditQuery>): Promise<Reply> {
  requireLog(auditLog);
  const { since, until, ...rest } = query;
  const entries = await auditLog
    .list({
      ...rest,
      sinceMillis: since === undefined ? undefined : Date.parse(since),
      untilMillis: until === undefined ? undefined : Date.parse(until),
    })
    .catch((error) => {
      throw unavailable('The audit log cannot be read right now; try again', 1, error);
    });
  const last = entries.length === query.limit && entries.at(-1);
  if (!last) return json({ entries });
  const shown = { ...query, limit: String(query.limit), before: last.id };
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries(shown)) if (value) next.set(name, value);
  return json({ entries, links: { next: `${AUDIT_PATH}?${next}` } });
}

/** The routes by which a client sees and manages what is its own. */
export const accountRoutes = (gateway: Gateway): Route[] => [
  ...accountKeyRoutes(gateway),
  route('listUsage', 'GET /account/v1/usage', {
    scope: SCOPE,
    query: z.object({ days: z.coerce.number().int().min(1).max(USAGE_DAYS).default(USAGE_DAYS) }),
    responses: { 200: jsonDoc('Usage', AccountUsage) },
    handle: (call) => usage(gateway, call),
  }),
  route('getRequest', 'GET /account/v1/requests/:id', {
    scope: SCOPE,
    responses: { 200: jsonDoc('Requests with this id', LoggedRequests) },
    handle: (call) => requests(gateway, call),
  }),
  route('listAudit', `GET ${AUDIT_PATH}`, {
    scope: OPERATOR_SCOPE,
    query: AuditQuery,
    responses: { 200: jsonDoc('Entries', AuditPage) },
    handle: (call) => audit(gateway, call),
  }),
];
