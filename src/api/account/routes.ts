import { z } from 'zod';
import { USAGE_DAYS } from '../../auth/quota.ts';
import { LoggedRequest } from '../../auth/request-log.ts';
import type { Gateway } from '../../gateway.ts';
import { type Call, json, type Reply, type Route, route } from '../../http/route.ts';
import { Problem } from '../../platform/problem.ts';
import { requireCaller } from '../caller.ts';
import { notFound } from '../common-problems.ts';
import { jsonDoc } from '../json-doc.ts';
import { accountKeyRoutes, type KeysGateway, SCOPE } from './keys.ts';

/** Sees the requests of all clients. */
const OPERATOR_SCOPE = 'operations:access';

const OperationUsage = z.object({
  operation: z.string().meta({ description: 'The `operationId`' }),
  requests: z.number(),
  units: z.number().meta({ description: 'Of the quota, when they were answered' }),
});

const AccountUsage = z
  .object({
    client: z.string(),
    days: z.array(
      z.object({
        date: z.iso.date().meta({ description: 'A day in UTC' }),
        units: z
          .number()
          .meta({ description: 'What counts against the quota, rows and refunds included' }),
        operations: z.array(OperationUsage),
      }),
    ),
  })
  .meta({ id: 'AccountUsage' });

const LoggedRequests = z.object({
  requests: z.array(LoggedRequest.meta({ id: 'LoggedRequest' })),
});

type AccountGateway = KeysGateway & Pick<Gateway, 'requestLog'>;

async function usage(
  { keys, clientUsage }: AccountGateway,
  call: Call<{ days: number }>,
): Promise<Reply> {
  const { client } = requireCaller(call);
  const meters = new Set((await keys.listOf(client)).map(({ meter }) => meter));
  return json({ client, days: await clientUsage.days(client, [...meters], call.query.days) });
}

async function requests({ keys, requestLog }: AccountGateway, call: Call): Promise<Reply> {
  const { client, scopes } = requireCaller(call);
  if (requestLog.days === 0) {
    throw new Problem('not-found', 'This service keeps no log of requests: REQUEST_LOG_DAYS is 0');
  }
  const all = scopes.includes(OPERATOR_SCOPE) ? await keys.list() : [];
  const clients = new Set([client, ...all.map((record) => record.client)]);
  const found = await requestLog.find(call.params.id ?? '', [...clients]);
  if (found.length === 0) throw notFound('request');
  return json({ requests: found });
}

/** The routes by which a client sees and manages what is its own. */
export const accountRoutes = (gateway: AccountGateway): Route[] => [
  ...accountKeyRoutes(gateway),
  route<{ days: number }>({
    method: 'GET',
    path: '/account/v1/usage',
    scope: SCOPE,
    operationId: 'listUsage',
    summary: 'List what your client has used, by day and operation',
    description: 'Of all its keys; newest day first, without days on which it used nothing.',
    query: z.object({ days: z.coerce.number().int().min(1).max(USAGE_DAYS).default(USAGE_DAYS) }),
    responses: { 200: jsonDoc('Usage', AccountUsage) },
    handle: (call) => usage(gateway, call),
  }),
  route({
    method: 'GET',
    path: '/account/v1/requests/:id',
    scope: SCOPE,
    operationId: 'getRequest',
    summary: 'Get what became of a request, by its `X-Request-Id`',
    description:
      'Newest first, if several had the same id; an operator (`operations:access`) sees those of all clients. Written just after the response, kept for seven days, never with what the request carried.',
    responses: { 200: jsonDoc('Requests with this id', LoggedRequests) },
    problems: ['not-found'],
    handle: (call) => requests(gateway, call),
  }),
];
