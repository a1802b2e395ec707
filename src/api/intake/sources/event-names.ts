import { z } from 'zod';
import { jsonOr } from '../../../platform/json.ts';

/** An object that an event names. Nothing else of an event is believed. */
interface EventObject {
  bucket: string;
  key: string;
}

/** Envelopes of queues and topics around an event, one in the other. */
const MAX_ENVELOPES = 4;

/** Records and envelopes of one event: S3 sends one record, SQS ten messages. */
const MAX_PARTS = 1100;

const Text = z.string();
const Members = z.array(z.unknown());
const Named = z.object({ name: Text });

const S3Record = z.object({ s3: z.object({ bucket: Named, object: z.object({ key: Text }) }) });
const EventBridge = z.object({
  detail: z.object({ bucket: Named, object: z.object({ key: Text }) }),
});

/** The handshake of SNS. The addresses in it are not read. */
const Subscription = z
  .object({
    Type: z.literal('SubscriptionConfirmation'),
    TopicArn: z.string().regex(/^arn:aws[a-z-]{0,20}:sns:[a-z0-9-]{1,30}:\d{12}:[\w.-]{1,256}$/),
    Token: z.string().regex(/^[A-Za-z0-9]{1,1024}$/),
  })
  .transform(({ TopicArn: topicArn, Token: token }) => ({ topicArn, token }));

/** Returns the topic that asks to be confirmed, if a body is the handshake of SNS. */
export const subscriptionInEvent = (event: unknown) => Subscription.safeParse(event).data;

/** Where envelopes have the text of what they carry. */
const ENVELOPES = [
  z.object({ Message: Text }).transform(({ Message }) => Message),
  z.object({ Body: Text }).transform(({ Body }) => Body),
  z.object({ body: Text }).transform(({ body }) => body),
  z.object({ Sns: z.object({ Message: Text }) }).transform(({ Sns }) => Sns.Message),
];
const LISTS = [
  z.object({ Records: Members }).transform(({ Records }) => Records),
  z.object({ Messages: Members }).transform(({ Messages }) => Messages),
];
/** What S3 sends when notifications are set up. */
const TestEvent = z.object({ Event: z.literal('s3:TestEvent') });

/** Keys in S3's notifications are encoded as in forms. */
function decodeKey(key: string): string | undefined {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** How many records and envelopes are still read. */
interface Budget {
  parts: number;
}

/** Ends at the first member that is none: a long list of others costs nothing. */
function objectsInList(
  members: readonly unknown[],
  envelopes: number,
  budget: Budget,
): EventObject[] | undefined {
  const all: EventObject[] = [];
  for (const member of members) {
    const found = objectsIn(member, envelopes, budget);
    if (!found) return undefined;
    all.push(...found);
  }
  return all;
}

function objectsIn(event: unknown, envelopes: number, budget: Budget): EventObject[] | undefined {
  if (budget.parts-- === 0) return undefined;
  const record = S3Record.safeParse(event).data?.s3;
  if (record) {
    const key = decodeKey(record.object.key);
    return key === undefined ? [] : [{ bucket: record.bucket.name, key }];
  }
  const detail = EventBridge.safeParse(event).data?.detail;
  if (detail) return [{ bucket: detail.bucket.name, key: detail.object.key }];
  if (TestEvent.safeParse(event).success) return [];
  if (envelopes === MAX_ENVELOPES) return undefined;
  for (const list of LISTS) {
    const members = list.safeParse(event).data;
    if (members) return objectsInList(members, envelopes + 1, budget);
  }
  for (const envelope of ENVELOPES) {
    const text = envelope.safeParse(event).data;
    if (text !== undefined) return objectsIn(jsonOr(text), envelopes + 1, budget);
  }
  return undefined;
}

/**
 * Returns the objects that an event names: a notification of S3 or MinIO, or one of EventBridge, by itself or in
 * messages of SQS or SNS. Returns undefined for anything else, and for more than 1100 records and envelopes.
 */
export const objectsInEvent = (event: unknown): EventObject[] | undefined =>
  objectsIn(event, 0, { parts: MAX_PARTS });
