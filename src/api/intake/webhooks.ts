import type { Queue } from 'bullmq';
import { z } from 'zod';
import { type Call, json, type Reply, type Route, route } from '../../http/route.ts';
import type { Answer, Idempotency } from '../../intake/idempotency.ts';
import { enqueueDelivery } from '../../intake/webhooks/delivery.ts';
import {
  DELIVERY_STATUSES,
  DeliveryAttempt,
  type WebhookEvent,
  type WebhookEvents,
} from '../../intake/webhooks/events.ts';
import { WEBHOOK_TYPES } from '../../intake/webhooks/outbox.ts';
import type { WebhookReceivers } from '../../intake/webhooks/receivers.ts';
import { Problem, unavailable } from '../../platform/problem.ts';
import { idempotently } from './idempotent.ts';
import { WebhookField } from './job-request.ts';

const WEBHOOKS_PATH = '/intake/v1/webhooks';
const DELIVERIES_PATH = `${WEBHOOKS_PATH}/deliveries`;
/** As much of a secret as tells it from another. */
const SHOWN_LETTERS = 12;

/** What the routes of webhooks are built of. */
export interface WebhookDeps {
  events: WebhookEvents;
  receivers: WebhookReceivers;
  /** The queue `webhook`. */
  queue: Queue;
}

const MadeSecret = z.object({
  secret: z.string().meta({ description: '`whsec_` and base64; shown this once' }),
  createdAt: z.iso.datetime(),
  previousExpiresAt: z.iso.datetime().optional(),
});

const Standing = z.object({
  secrets: z.array(
    z.object({
      prefix: z.string(),
      createdAt: z.iso.datetime(),
      expiresAt: z.iso.datetime().optional(),
    }),
  ),
  disabledUrls: z.array(z.string()),
});

const Delivery = z.object({
  id: z.string().meta({ description: 'The `webhook-id`' }),
  url: z.string(),
  type: z.enum(WEBHOOK_TYPES),
  status: z.enum(DELIVERY_STATUSES),
  createdAt: z.iso.datetime(),
  nextAttemptAt: z.iso.datetime().optional(),
  attempts: z.array(DeliveryAttempt),
  event: z.unknown().meta({ description: 'The body that is sent' }),
  links: z.object({ self: z.string(), replay: z.string() }),
});

const ListQuery = z.object({
  status: z.enum(DELIVERY_STATUSES).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(50),
});
type ListQuery = z.infer<typeof ListQuery>;

function deliveryAnswer(event: WebhookEvent): z.infer<typeof Delivery> {
  const { id, url, type, status, createdAt, nextAttemptAt, attempts, body } = event;
  const self = `${DELIVERIES_PATH}/${id}`;
  return {
    ...{ id, url, type, status, createdAt },
    ...(nextAttemptAt && { nextAttemptAt }),
    ...{ attempts, event: JSON.parse(body), links: { self, replay: `${self}/replay` } },
  };
}

const clientOf = ({ caller }: Pick<Call, 'caller'>): string => {
  if (!caller) throw new Error('a keyed route without a caller');
  return caller.client;
};

const down = (cause: unknown): never => {
  throw unavailable('Webhooks cannot be read or changed right now; try again', 1, cause);
};

/**
 * Makes sure that what is promised to be told can be signed.
 * @throws Problem conflict where the client has no secret yet
 */
export async function checkWebhook(receivers: WebhookReceivers, client: string): Promise<void> {
  const secrets = await receivers.live(client, Date.now()).catch(down);
  if (secrets.length > 0) return;
  throw new Problem(
    'conflict',
    `Webhooks are signed, and there is no secret yet: POST ${WEBHOOKS_PATH}/secret first`,
  );
}

/** The deeds behind the routes. Each throws upstream-unavailable where Redis does not answer. */
function createDeeds({ events, receivers, queue }: WebhookDeps) {
  async function standing(client: string): Promise<z.infer<typeof Standing>> {
    const [live, disabledUrls] = await Promise.all([
      receivers.live(client, Date.now()),
      receivers.disabled(client),
    ]).catch(down);
    const secrets = live.map(({ secret, ...times }) => ({
      prefix: secret.slice(0, SHOWN_LETTERS),
      ...times,
    }));
    return { secrets, disabledUrls };
  }

  async function renew({ id, client, url }: WebhookEvent): Promise<WebhookEvent | undefined> {
    await receivers.enable(client, url);
    const round = await events.renew(id);
    if (round) await enqueueDelivery(queue, id, round);
    return events.get(id);
  }

  return {
    standing,
    makeSecret: (client: string) => receivers.makeSecret(client, Date.now()).catch(down),
    async enable(client: string, url: string) {
      await receivers.enable(client, url).catch(down);
      return standing(client);
    },
    list: (client: string, { status, limit }: ListQuery) =>
      events.list(client, limit, status).catch(down),
    /** Somebody else's event is not there. */
    async own(call: Call): Promise<WebhookEvent> {
      const event = await events.get(call.params.id ?? '').catch(down);
      if (event?.client === clientOf(call)) return event;
      throw new Problem('not-found', 'There is no such delivery, or it is older than three days');
    },
    /** Sends an event anew, by its old id. */
    replay: async (event: WebhookEvent) => (await renew(event).catch(down)) ?? event,
  };
}
type Deeds = ReturnType<typeof createDeeds>;

/** Does what a request asks for once for its `Idempotency-Key`. */
type Once = (call: Call, sameness: unknown, work: () => Promise<Answer>) => Promise<Reply>;

const answer = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': schema },
});

/** What a client sets up once. */
const receiverRoutes = (deeds: Deeds, once: Once): Route[] => [
  route({
    method: 'POST',
    path: `${WEBHOOKS_PATH}/secret`,
    scope: 'any-key',
    summary: 'Make a signing secret, or a new one',
    description:
      'The secret before it stays good for a day, and messages carry a signature by each. Addresses that were off are on again.',
    answers: { 201: answer('The secret; it is not shown again', MadeSecret) },
    handle: (call) =>
      once(call, [`${WEBHOOKS_PATH}/secret`], async () => ({
        status: 201,
        headers: { 'cache-control': 'no-store' },
        body: await deeds.makeSecret(clientOf(call)),
      })),
  }),
  route({
    method: 'GET',
    path: WEBHOOKS_PATH,
    scope: 'any-key',
    summary: 'Signing secrets by their first letters, and addresses that are off',
    answers: { 200: answer('What stands', Standing) },
    handle: async (call) => json(await deeds.standing(clientOf(call))),
  }),
  route({
    method: 'POST',
    path: `${WEBHOOKS_PATH}/enable`,
    scope: 'any-key',
    summary: 'Send to an address again that answered 410',
    body: WebhookField,
    answers: { 200: answer('What stands now', Standing) },
    handle: (call) =>
      once(call, [`${WEBHOOKS_PATH}/enable`, call.body.url], async () => ({
        status: 200,
        headers: {},
        body: await deeds.enable(clientOf(call), call.body.url),
      })),
  }),
];

/** What became of each event. */
const deliveryRoutes = (deeds: Deeds, once: Once): Route[] => [
  route<ListQuery>({
    method: 'GET',
    path: DELIVERIES_PATH,
    scope: 'any-key',
    summary: 'The last deliveries, the newest first',
    description: 'Of the last three days, at most a thousand.',
    query: ListQuery,
    answers: { 200: answer('Deliveries', z.object({ deliveries: z.array(Delivery) })) },
    async handle(call) {
      const found = await deeds.list(clientOf(call), call.query);
      return json({ deliveries: found.map(deliveryAnswer) });
    },
  }),
  route({
    method: 'GET',
    path: `${DELIVERIES_PATH}/:id`,
    scope: 'any-key',
    summary: 'What became of one event',
    answers: { 200: answer('The delivery', Delivery) },
    problems: ['not-found'],
    handle: async (call) => json(deliveryAnswer(await deeds.own(call))),
  }),
  route({
    method: 'POST',
    path: `${DELIVERIES_PATH}/:id/replay`,
    scope: 'any-key',
    summary: 'Send an event again, by the same id',
    description: 'Attempts begin anew, and the address is on again if it was off.',
    answers: { 202: answer('The delivery, pending again', Delivery) },
    problems: ['not-found'],
    async handle(call) {
      const event = await deeds.own(call);
      return once(call, [DELIVERIES_PATH, event.id], async () => ({
        status: 202,
        headers: {},
        body: deliveryAnswer(await deeds.replay(event)),
      }));
    },
  }),
];

/** The routes of webhooks. */
export function webhookRoutes(deps: WebhookDeps, idempotency: Idempotency): Route[] {
  const deeds = createDeeds(deps);
  const once: Once = (call, sameness, work) => idempotently(idempotency, call, sameness, work);
  return [...receiverRoutes(deeds, once), ...deliveryRoutes(deeds, once)];
}
