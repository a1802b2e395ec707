import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { z } from 'zod';
import type { Client } from '../../../packages/client/src/client.ts';
import { codeOf } from '../../platform/system-error.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { type Output, paint, print, say, usageError } from '../terminal/output.ts';

const DELIVERIES = '/intake/v1/webhooks/deliveries';
/** Thirty requests a minute, of the 120 that a key has by default. */
const POLL_MILLIS = 2000;
/** Of a poll: more events than that in two seconds are seen by the next ones. */
const MAX_EVENTS = 1000;
/** As long as the service waits for a receiver. */
const FORWARD_MILLIS = 15_000;

const Listed = z.object({ deliveries: z.array(z.object({ id: z.string() })) });
const Delivery = z.object({
  id: z.string(),
  type: z.string(),
  createdAt: z.string(),
  event: z.unknown(),
  signature: z.record(z.string(), z.string()).default({}),
});
type Delivery = z.infer<typeof Delivery>;

interface ListenOptions extends ServerOptions, Output {
  forwardTo?: string;
  count?: number;
  all?: true;
}

/** What became of an event at the local address. */
type Forwarded = { status: number; millis: number } | { error: string };

function parseCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

function parseAddress(text: string): string {
  if (z.url({ protocol: /^https?$/ }).safeParse(text).success) return text;
  throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:3000/hook.');
}

const SECRET = /^whsec_[\w+/]{32,}={0,2}$/;

/** Whether the service signed an event with the secret; undefined without one. @throws CliError if it is malformed */
function isVerified({ signature: headers }: Delivery, body: string, secret: string | undefined) {
  if (!secret) return undefined;
  if (!SECRET.test(secret)) {
    throw usageError(
      'SELVAGE_WEBHOOK_SECRET: a webhook secret is whsec_ and 24 bytes or more in base64',
    );
  }
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

/** Sends an event to the local address as the service would. */
async function forward(
  url: string,
  { signature }: Delivery,
  body: string,
  signal: AbortSignal,
): Promise<Forwarded> {
  const started = performance.now();
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...signature },
      signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_MILLIS)]),
    });
    await response.body?.cancel();
    return { status: response.status, millis: Math.round(performance.now() - started) };
  } catch (error) {
    signal.throwIfAborted();
    const { cause, message } = error as Error;
    return { error: codeOf(cause) || message };
  }
}

function lineOf({ type, id }: Delivery, verified: boolean | undefined, forwarded?: Forwarded) {
  const check = {
    true: paint('green', 'verified'),
    false: paint('red', 'signed with another secret'),
    undefined: paint('dim', 'not verified'),
  }[`${verified}`];
  const words = [type, id, check];
  if (forwarded && 'error' in forwarded) words.push(paint('red', `not sent: ${forwarded.error}`));
  else if (forwarded) words.push(`-> ${forwarded.status} in ${forwarded.millis} ms`);
  return words.join('  ');
}

/** Reads the ids of the events of three days, oldest first. */
async function idsOf(client: Client, signal: AbortSignal): Promise<string[]> {
  const call = { method: 'GET', path: DELIVERIES, query: { limit: MAX_EVENTS } } as const;
  const { deliveries } = Listed.parse(await client.call(call, { signal }));
  return deliveries.map(({ id }) => id).reverse();
}

/** Shows and forwards each event from now on, or of the last three days too. */
async function listen(options: ListenOptions, signal: AbortSignal): Promise<void> {
  const { forwardTo, count = Number.POSITIVE_INFINITY } = options;
  const secret = process.env.SELVAGE_WEBHOOK_SECRET;
  const client = connect(options);
  const seen = new Set(options.all ? [] : await idsOf(client, signal));
  say(options, `Listening for events${forwardTo ? `, for ${forwardTo}` : ''}. Ctrl-C ends it.`);
  if (!secret) say(options, 'Set SELVAGE_WEBHOOK_SECRET to verify their signatures.');
  for (let shown = 0; shown < count; ) {
    const ids = await idsOf(client, signal);
    for (const id of ids.filter((each) => !seen.has(each)).slice(0, count - shown)) {
      seen.add(id);
      shown++;
      const call = { method: 'GET', path: `${DELIVERIES}/${encodeURIComponent(id)}` } as const;
      const delivery = Delivery.parse(await client.call(call, { signal }));
      const { type, createdAt, event } = delivery;
      const body = JSON.stringify(event);
      const verified = isVerified(delivery, body, secret);
      const forwarded = forwardTo && (await forward(forwardTo, delivery, body, signal));
      const facts = { id, type, createdAt, ...(secret && { verified }), event };
      const line = lineOf(delivery, verified, forwarded || undefined);
      print(options, { ...facts, ...(forwarded && { forwarded }) }, line);
    }
    if (shown < count)
      await sleep(POLL_MILLIS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

const EXAMPLES = `
Environment:
  SELVAGE_WEBHOOK_SECRET   the signing secret, "whsec_…"

Examples:
  $ selvage webhooks listen --forward-to http://127.0.0.1:3000/hook
  $ selvage webhooks listen --json --count 1`;

/** `webhooks listen`: for a machine that the service cannot reach. */
export const webhooksListenCommand = (signal: AbortSignal): Command =>
  new Command('listen')
    .description('show the events from now on, wherever they are sent, and pass them on')
    .option('--forward-to <url>', 'send each to a local address too, signed', parseAddress)
    .option('--all', 'first those of the last three days')
    .option('--count <n>', 'end after so many', parseCount)
    .addHelpText('after', EXAMPLES)
    .action((options: ListenOptions) => listen(options, signal));
