import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Gateway } from '../../gateway.ts';
import { type Call, json, jsonDoc, type Route, route } from '../../http/route.ts';
import { putDeed } from '../../intake/deeds.ts';
import {
  DELIVERY_STATUSES,
  DeliveryAttempt,
  enqueueDelivery,
  type WebhookEvent,
} from '../../intake/webhooks/events.ts';
import type { WebhookType } from '../../intake/webhooks/outbox.ts';
import { testEvent, WEBHOOK_TYPES, WebhookBody } from '../../intake/webhooks/outbox.ts';
import { Problem, unavailable } from '../../platform/problem.ts';
import { signWebhook } from '../../platform/webhook-signature.ts';
import { linksNamed, listOf, named } from '../schema.ts';
import { idempotently, storedJson } from './idempotent.ts';
import { WebhookField } from './job-request.ts';
import { publicMembers } from './job-response.ts';

const WEBHOOKS_PATH = '/intake/v1/webhooks';
const DELIVERIES_PATH = `${WEBHOOKS_PATH}/deliveries`;
/** Enough characters of a secret to tell it from another. */
const SECRET_PREFIX_CHARS = 12;

const CreatedSecret = named('WebhookSecret', {
  secret: z.string().meta({ description: '`whsec_` and base64; shown only once' }),
  createdAt: z.iso.datetime(),
  previousExpiresAt: z.iso.datetime().optional(),
});

const WebhookSettings = named('WebhookSettings', {
  secrets: listOf({
    prefix: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional(),
  }),
  disabledUrls: z.array(z.string()),
});

const Delivery = named('WebhookDelivery', {
  id: z.string().meta({ description: 'The `webhook-id`' }),
  url: z.string(),
  type: z.enum(WEBHOOK_TYPES),
  status: z.enum(DELIVERY_STATUSES),
  createdAt: z.iso.datetime(),
  nextAttemptAt: z.iso.datetime().optional(),
  attempts: z.array(DeliveryAttempt),
  event: WebhookBody,
  signature: z.record(z.string(), z.string()).optional().meta({
    description: 'The headers that an attempt now would have; of one delivery, not in lists',
  }),
  links: linksNamed('self', 'replay'),
});

const TestEvent = WebhookField.extend({
  type: z.enum(WEBHOOK_TYPES).default('job.succeeded'),
}).meta({ id: 'TestWebhook' });

const ListQuery = z.object({
  status: z.enum(DELIVERY_STATUSES).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(50),
});
type ListQuery = z.infer<typeof ListQuery>;

function deliveryResponse(event: WebhookEvent): z.infer<typeof Delivery> {
  const self = `${DELIVERIES_PATH}/${event.id}`;
  return {
    ...publicMembers(Delivery, event),
    event: JSON.parse(event.body),
    links: { self, replay: `${self}/replay` },
  };
}

/** @throws Problem conflict if the client has no secret yet */
export async function checkWebhook(
  { receivers, now }: Pick<Gateway, 'receivers' | 'now'>,
  client: string,
): Promise<void> {
  const secrets = await receivers.activeSecrets(client, now());
  if (secrets.length > 0) return;
  throw new Problem(
    'conflict',
    `Webhooks are signed, but there is no secret yet: send POST ${WEBHOOKS_PATH}/secret first`,
  );
}

/** The actions behind the routes. Each throws upstream-unavailable if Redis does not respond. */
class WebhookActions {
  readonly #services;

  constructor(services: Gateway) {
    this.#services = services;
  }

  async readSettings(client: string): Promise<z.infer<typeof WebhookSettings>> {
    const [active, disabledUrls] = await Promise.all([
      this.#services.receivers.activeSecrets(client, this.#services.now()),
      this.#services.receivers.disabled(client),
    ]);
    const secrets = active.map(({ secret, ...times }) => ({
      prefix: secret.slice(0, SECRET_PREFIX_CHARS),
      ...times,
    }));
    return { secrets, disabledUrls };
  }

  /** Before a change is acknowledged, so that no loss undoes it. */
  async #keep(client: string): Promise<void> {
    const { blobs, receivers } = this.#services;
    return putDeed(blobs, 'receivers', client, await receivers.seal(client));
  }

  async createSecret(client: string) {
    const created = await this.#services.receivers.createSecret(client, this.#services.now());
    await this.#keep(client);
    return created;
  }

  async enable(client: string, url: string) {
    await this.#services.receivers.enable(client, url);
    await this.#keep(client);
    return this.readSettings(client);
  }

  /** Signs an event as an attempt now would be, for a receiver that the service cannot reach. */
  async sign({ id, client, body }: WebhookEvent) {
    const active = await this.#services.receivers.activeSecrets(client, this.#services.now());
    const timestampSeconds = Math.floor(this.#services.now() / 1000);
    const secrets = active.map(({ secret }) => secret);
    return { ...signWebhook(secrets, { id, timestampSeconds, body }) };
  }

  async list(client: string, { status, limit }: ListQuery) {
    return (await this.#services.events.list(client, limit, status)).map(deliveryResponse);
  }

  /** Reads the event of a request. Another client's event is not-found. */
  async readOwn(call: Call): Promise<WebhookEvent> {
    const event = await this.#services.events.get(call.params.id ?? '');
    if (event?.client === call.client) return event;
    throw new Problem('not-found', 'There is no such delivery, or it is more than three days old');
  }

  /** Sends an event about nothing. @throws Problem conflict if it could not be signed */
  async test(client: string, url: string, type: WebhookType): Promise<WebhookEvent> {
    const { events, queues, now } = this.#services;
    await checkWebhook(this.#services, client);
    const event = testEvent({ client, url, type }, randomUUID().replaceAll('-', ''), now());
    const round = await events.record(event, now());
    await enqueueDelivery(queues.webhook, { id: event.eventId, client }, round ?? 1);
    const recorded = await events.get(event.eventId);
    if (recorded) return recorded;
    throw unavailable('The event is not recorded; try again');
  }

  async replay(event: WebhookEvent): Promise<WebhookEvent> {
    const { receivers, events, queues } = this.#services;
    const { id, client, url } = event;
    await receivers.enable(client, url);
    const round = await events.renew(id);
    if (round) await enqueueDelivery(queues.webhook, { id, client }, round);
    return (await events.get(id)) ?? event;
  }
}

export function webhookRoutes(gateway: Gateway): Route[] {
  const { idempotency } = gateway;
  const actions = new WebhookActions(gateway);
  return [
    route('createWebhookSecret', `POST ${WEBHOOKS_PATH}/secret`, {
      responses: { 201: jsonDoc('The secret; it is not shown again', CreatedSecret) },
      handle: (call) =>
        idempotently(idempotency, call, [`${WEBHOOKS_PATH}/secret`], async () => ({
          status: 201,
          headers: { 'cache-control': 'no-store' },
          body: await actions.createSecret(call.client),
        })),
    }),
    route('getWebhookSettings', `GET ${WEBHOOKS_PATH}`, {
      responses: { 200: jsonDoc('The settings', WebhookSettings) },
      handle: async (call) => json(await actions.readSettings(call.client)),
    }),
    route('enableWebhookUrl', `POST ${WEBHOOKS_PATH}/enable`, {
      body: WebhookField,
      responses: { 200: jsonDoc('The settings', WebhookSettings) },
      handle: (call) =>
        idempotently(idempotency, call, [`${WEBHOOKS_PATH}/enable`, call.body.url], async () =>
          storedJson(await actions.enable(call.client, call.body.url)),
        ),
    }),
    route('sendTestWebhook', `POST ${WEBHOOKS_PATH}/test`, {
      body: TestEvent,
      responses: { 202: jsonDoc('The delivery', Delivery) },
      handle: (call) =>
        idempotently(idempotency, call, [`${WEBHOOKS_PATH}/test`, call.body], async () => {
          const { url, type } = call.body;
          return storedJson(deliveryResponse(await actions.test(call.client, url, type)), 202);
        }),
    }),
    route('listWebhookDeliveries', `GET ${DELIVERIES_PATH}`, {
      query: ListQuery,
      responses: { 200: jsonDoc('Deliveries', z.object({ deliveries: z.array(Delivery) })) },
      handle: async ({ client, query }) => json({ deliveries: await actions.list(client, query) }),
    }),
    route('getWebhookDelivery', `GET ${DELIVERIES_PATH}/:id`, {
      responses: { 200: jsonDoc('The delivery', Delivery) },
      async handle(call) {
        const event = await actions.readOwn(call);
        return json({ ...deliveryResponse(event), signature: await actions.sign(event) });
      },
    }),
    route('replayWebhookDelivery', `POST ${DELIVERIES_PATH}/:id/replay`, {
      responses: { 202: jsonDoc('The delivery', Delivery) },
      async handle(call) {
        const event = await actions.readOwn(call);
        return idempotently(idempotency, call, [DELIVERIES_PATH, event.id], async () =>
          storedJson(deliveryResponse(await actions.replay(event)), 202),
        );
      },
    }),
  ];
}
