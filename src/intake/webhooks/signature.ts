import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'whsec_';
/** Length of a signing key, bytes, as Standard Webhooks 1.0 asks. */
const KEY_BYTES = { min: 24, minted: 32, max: 64 };
const TOLERANCE_SECONDS = 300;

/** The three headers of a Standard Webhooks message. */
export interface WebhookHeaders {
  'webhook-id': string;
  /** Whole seconds since 1970. */
  'webhook-timestamp': string;
  /** `v1,<base64>`, one for each live secret, separated by a space. */
  'webhook-signature': string;
}

/** One message as it is signed: exactly these bytes are sent. */
export interface WebhookMessage {
  /** Stays the same when the message is sent again, so that a receiver can drop repeats. */
  id: string;
  /** When this attempt is made, whole seconds since 1970. */
  timestampSeconds: number;
  body: string | Uint8Array;
}

/** Why a message cannot be trusted. */
export type WebhookErrorReason = 'incomplete' | 'too-old' | 'too-new' | 'unsigned';

const FAULTS: Readonly<Record<WebhookErrorReason, string>> = {
  incomplete: 'A webhook header is missing or malformed',
  'too-old': 'The message was sent too long ago',
  'too-new': 'The message claims to come from the future; check this clock',
  unsigned: 'No signature was made with a known secret',
};

/** A message that must not be acted on. */
export class WebhookVerificationError extends Error {
  readonly fault: WebhookErrorReason;

  constructor(fault: WebhookErrorReason) {
    super(FAULTS[fault]);
    this.name = 'WebhookRefused';
    this.fault = fault;
  }
}

/** A fresh signing secret: `whsec_` and 32 random bytes in base64. */
export const mintWebhookSecret = (): string =>
  PREFIX + randomBytes(KEY_BYTES.minted).toString('base64');

/** @throws RangeError when it is not `whsec_` and 24 to 64 bytes in base64; it never repeats the secret */
function readKey(secret: string): Buffer {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const canonical = PREFIX + key.toString('base64') === secret;
  if (!canonical || key.length < KEY_BYTES.min || key.length > KEY_BYTES.max) {
    throw new RangeError(
      `A webhook secret is ${PREFIX} and ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes in base64`,
    );
  }
  return key;
}

const sign = (secret: string, { id, timestampSeconds, body }: WebhookMessage): string =>
  `v1,${createHmac('sha256', readKey(secret)).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`;

/**
 * Signs a message by Standard Webhooks 1.0, symmetric scheme (HMAC-SHA-256).
 * @param secrets the live ones: two while a receiver changes over, else one
 * @throws RangeError when a secret is malformed
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const signWebhook = (
  secrets: readonly string[],
  message: WebhookMessage,
): WebhookHeaders => ({
  'webhook-id': message.id,
  'webhook-timestamp': String(message.timestampSeconds),
  'webhook-signature': secrets.map((secret) => sign(secret, message)).join(' '),
});

const equalInConstantTime = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

export interface WebhookCheck {
  /** Any of them may have signed. */
  secrets: readonly string[];
  /** Names in lower case, as Node and `Headers` give them. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body exactly as it arrived, before any parsing. */
  body: string | Uint8Array;
  /** The receiver's clock, seconds since 1970. */
  nowSeconds: number;
  /** How far the two clocks may differ, either way; 300 unless told. */
  toleranceSeconds?: number;
}

/**
 * Makes sure that a message comes from who shares a secret and is fresh. Signatures are compared in
 * constant time.
 * @returns the id, by which a receiver knows a repeat, and when it was sent
 * @throws WebhookRefused when it cannot be trusted; RangeError when a secret is malformed
 */
export function verifyWebhook(check: WebhookCheck): { id: string; timestampSeconds: number } {
  const { secrets, headers, body, nowSeconds, toleranceSeconds = TOLERANCE_SECONDS } = check;
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') {
    throw new WebhookVerificationError('incomplete');
  }
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('incomplete');
  const timestampSeconds = Number(timestamp);
  if (nowSeconds - timestampSeconds > toleranceSeconds)
    throw new WebhookVerificationError('too-old');
  if (timestampSeconds - nowSeconds > toleranceSeconds)
    throw new WebhookVerificationError('too-new');

  const expected = secrets.map((secret) => sign(secret, { id, timestampSeconds, body }));
  const passed = signatures.split(' ');
  if (!expected.some((ours) => passed.some((theirs) => equalInConstantTime(ours, theirs)))) {
    throw new WebhookVerificationError('unsigned');
  }
  return { id, timestampSeconds };
}
