import { z } from 'zod';

/** An object that an event names. Nothing else of an event is believed. */
interface EventObject {
  bucket: string;
  key: string;
}

/** Envelopes of queues and topics around an event, one in the other. */
const MAX_ENVELOPES = 4;

const Text = z.string();
const Named = z.object({ name: Text });

const S3Record = z.object({ s3: z.object({ bucket: Named, object: z.object({ key: Text }) }) });
const EventBridge = z.object({
  detail: z.object({ bucket: Named, object: z.object({ key: Text }) }),
});

/** Where envelopes have the text of what they carry. */
const ENVELOPES = [
  z.object({ Message: Text }).transform(({ Message }) => Message),
  z.object({ Body: Text }).transform(({ Body }) => Body),
  z.object({ body: Text }).transform(({ body }) => body),
  z.object({ Sns: z.object({ Message: Text }) }).transform(({ Sns }) => Sns.Message),
];
const LISTS = [
  z.object({ Records: z.array(z.unknown()) }).transform(({ Records }) => Records),
  z.object({ Messages: z.array(z.unknown()) }).transform(({ Messages }) => Messages),
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

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the objects that an event names: a notification of S3 or MinIO, or one of EventBridge, by itself or in
 * messages of SQS or SNS. Returns undefined for anything else.
 */
export function objectsInEvent(event: unknown, envelopes = 0): EventObject[] | undefined {
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
    const found = members?.map((member) => objectsInEvent(member, envelopes + 1));
    if (found) return found.some((each) => !each) ? undefined : found.flatMap((each) => each ?? []);
  }
  for (const envelope of ENVELOPES) {
    const text = envelope.safeParse(event).data;
    if (text !== undefined) return objectsInEvent(parseText(text), envelopes + 1);
  }
  return undefined;
}
