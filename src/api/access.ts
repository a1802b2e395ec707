import { z } from 'zod';
import { ACCESS_STATUSES, AccessError, AccessRequest } from '../auth/access-requests.ts';
import {
  CLIENT_NAME,
  CLIENT_SCOPES,
  DEFAULT_ALLOWANCE,
  DEFAULT_LIMITS,
  INTAKE_RIGHTS,
  MAX_WEIGHT,
} from '../auth/key-record.ts';
import { KeyError } from '../auth/keys.ts';
import type { Rate } from '../auth/limit-settings.ts';
import type { Gateway } from '../gateway.ts';
import { addressBlock } from '../http/limits.ts';
import { type Call, json, jsonDoc, type Reply, type Route, route } from '../http/route.ts';
import { Problem, type ProblemType, unavailable } from '../platform/problem.ts';
import { idempotently, shownOnce, storedJson } from './intake/idempotent.ts';
import { named, namedRequest } from './schema.ts';

const PATH = '/access/v1/requests';
const SCOPE = 'operations:access';

/** Requests for access that an address may send, and wrong secrets that it may try. */
const REQUESTS_RATE: Rate = { count: 5, periodSeconds: 3600 };
const FETCHES_RATE: Rate = { count: 20, periodSeconds: 60 };

/** How long a client waits before it asks for its key again, seconds. */
const DECISION_SECONDS = 60;

/** Printed in terminals, so without control characters. */
export const line = (maxChars: number) =>
  z
    .string()
    .min(1)
    .max(maxChars)
    .regex(/^\P{Cc}+$/u);
const clientName = z.string().regex(CLIENT_NAME);
export const clientScopes = z.array(z.enum(CLIENT_SCOPES)).min(1);

const AccessRequestForm = namedRequest('AccessRequestForm', {
  client: clientName.meta({ description: 'The name you want: letters, digits and `._-`' }),
  contact: line(200).meta({ description: 'Where the operator can reach you' }),
  scopes: clientScopes,
  note: line(1000).optional().meta({ description: 'What you want to do' }),
});

const AccessRequestView = AccessRequest.omit({ secretHash: true, grant: true })
  .extend({ scopes: z.array(z.string()) })
  .meta({ id: 'AccessRequest' });

const SubmittedRequest = named('SubmittedAccessRequest', {
  id: z.string(),
  status: z.enum(ACCESS_STATUSES),
  secret: z.string().meta({ description: 'Fetches the key, once; shown only now' }),
  links: z.object({ key: z.string() }),
});

const whole = (min: number, max: number, value: number) =>
  z.number().int().min(min).max(max).default(value);

export const RateForm = z.strictObject({
  count: z.number().int().min(1).max(1e6),
  periodSeconds: z.number().int().min(1).max(3600),
});

const ApprovalForm = namedRequest('AccessApproval', {
  client: clientName.optional().meta({ description: 'Another name than the one asked for' }),
  existingClient: z
    .boolean()
    .optional()
    .meta({ description: 'The request comes from that client' }),
  scopes: clientScopes.optional().meta({ description: 'Others than those asked for' }),
  intake: z.array(z.enum(INTAKE_RIGHTS)).optional(),
  test: z.literal(true).optional().meta({ description: 'A test key' }),
  rate: RateForm.default(DEFAULT_ALLOWANCE.rate),
  quotaPerDay: whole(1, 1e9, DEFAULT_ALLOWANCE.quotaPerDay),
  bytesPerDay: whole(1, 1e15, DEFAULT_LIMITS.bytesPerDay),
  weight: whole(1, MAX_WEIGHT, DEFAULT_LIMITS.weight),
  maxFeeds: whole(0, 100_000, DEFAULT_LIMITS.maxFeeds),
  feedIntervalSeconds: whole(1, 86_400 * 400, DEFAULT_LIMITS.feedIntervalSeconds),
  allowBase64: z.boolean().default(false),
});

const FetchedKey = named('FetchedKey', {
  key: z.string().meta({ description: '`slv_…`; shown only now' }),
  id: z.string(),
  client: z.string(),
  scopes: z.array(z.string()),
});

const viewOf = (request: AccessRequest) => AccessRequestView.parse(request);

const PROBLEM_OF: Readonly<Record<AccessError['reason'], ProblemType>> = {
  unknown: 'not-found',
  undecided: 'conflict',
  decided: 'conflict',
  taken: 'conflict',
  denied: 'gone',
  fetched: 'gone',
  full: 'upstream-unavailable',
};

/** @throws Problem for what cannot be done */
function throwProblem(error: unknown): never {
  if (!(error instanceof KeyError)) throw error;
  if (!(error instanceof AccessError)) {
    throw new Problem(
      'conflict',
      'The client has as many live keys as it may: the operator must revoke one first',
    );
  }
  const { reason, message } = error;
  if (reason === 'full') throw unavailable(message, 3600);
  const headers: Record<string, string> =
    reason === 'undecided' ? { 'retry-after': String(DECISION_SECONDS) } : {};
  const detail =
    reason === 'unknown'
      ? 'There is no such access request, or the secret is not its own'
      : message;
  throw new Problem(PROBLEM_OF[reason], detail, { headers });
}

export function accessRoutes(gateway: Gateway): Route[] {
  const { accessRequests, acceptsAccessRequests, requestLimits, idempotency, now } = gateway;
  const count = ({ remoteAddress }: Call, name: string, rate: Rate): Promise<void> =>
    requestLimits.countFailure(`${name}:${addressBlock(remoteAddress)}`, rate);

  async function submit(call: Call<unknown, z.infer<typeof AccessRequestForm>>): Promise<Reply> {
    if (!acceptsAccessRequests) {
      throw new Problem(
        'not-found',
        'This service takes no requests for access: ask its operator for a key, or to set ACCESS_REQUESTS=on',
      );
    }
    return shownOnce(idempotency, call, {
      path: PATH,
      prefix: 'req',
      nowMillis: now(),
      remedy: () => 'Request access again with another Idempotency-Key',
      madeAt: (id) => accessRequests.sentAt(id),
      async make(newId) {
        await count(call, 'access-request', REQUESTS_RATE);
        const { request, secret } = await accessRequests
          .submit(call.body, newId)
          .catch(throwProblem);
        const { id, status } = request;
        const body = { id, status, secret, links: { key: `${PATH}/${id}/key` } };
        return { id, reply: { status: 201, headers: { location: `${PATH}/${id}` }, body } };
      },
    });
  }

  async function fetchKey(call: Call<unknown, { secret: string }>): Promise<Reply> {
    const fetched = accessRequests.fetchKey(call.params.id ?? '', call.body.secret);
    const { key, record } = await fetched.catch(async (error) => {
      if (error instanceof AccessError) await count(call, 'access-key', FETCHES_RATE);
      return throwProblem(error);
    });
    const { id, client, scopes } = record;
    return json({ key, id, client, scopes });
  }

  const operator = {
    scope: SCOPE,
    responses: {
      200: { ...jsonDoc('The request', AccessRequestView), headers: ['Idempotency-Replayed'] },
    },
  } as const;
  const decideOnce = (call: Call, action: string, decide: () => Promise<AccessRequest>) =>
    idempotently(idempotency, call, ['POST', action, call.params.id, call.body], async () =>
      storedJson(viewOf(await decide().catch(throwProblem))),
    );
  return [
    route('requestAccess', `POST ${PATH}`, {
      scope: 'keyless',
      body: AccessRequestForm,
      maxBodyBytes: 8192,
      responses: { 201: { ...jsonDoc('The request', SubmittedRequest), headers: ['Location'] } },
      handle: submit,
    }),
    route('fetchKey', `POST ${PATH}/:id/key`, {
      scope: 'keyless',
      body: z.strictObject({ secret: z.string().min(1).max(100) }),
      maxBodyBytes: 1024,
      responses: { 200: jsonDoc('The key; it is not shown again', FetchedKey) },
      handle: fetchKey,
    }),
    route('listAccessRequests', `GET ${PATH}`, {
      scope: SCOPE,
      query: z.object({ status: z.enum(ACCESS_STATUSES).optional() }),
      responses: { 200: jsonDoc('Requests', z.object({ requests: z.array(AccessRequestView) })) },
      async handle({ query: { status } }) {
        const all = await accessRequests.list();
        const wanted = all.filter((each) => status === undefined || each.status === status);
        return json({ requests: wanted.map(viewOf) });
      },
    }),
    route('approveAccessRequest', `POST ${PATH}/:id/approve`, {
      ...operator,
      optionalBody: true,
      body: ApprovalForm,
      handle: (call) =>
        decideOnce(call, 'approve', () => accessRequests.approve(call.params.id ?? '', call.body)),
    }),
    route('denyAccessRequest', `POST ${PATH}/:id/deny`, {
      ...operator,
      handle: (call) => decideOnce(call, 'deny', () => accessRequests.deny(call.params.id ?? '')),
    }),
  ];
}
