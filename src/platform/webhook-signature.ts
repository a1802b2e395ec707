import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'whsec_';
/** Length of a signing key, bytes, as Standard Webhooks 1.0 requires. */
const KEY_BYTES = { min: 24, created: 32, max: 64 };
const TOLERANCE_SECONDS = 300;

/** The three headers of a Standard Webhooks message. */
interface WebhookHeaders {
  'webhook-id': string;
  /** Whole seconds since 1970. */
  'webhook-timestamp': string;
  /** `v1,<base64>`, one for each secret in use, separated by a space. */
  'webhook-signature': string;
}

/** A message as it is signed: exactly these bytes are sent. */
interface WebhookMessage {
  /** Stays the same when the message is sent again: receivers deduplicate by it. */
  id: string;
  /** When this attempt was made, whole seconds since 1970. */
  timestampSeconds: number;
  body: string | Uint8Array;
}

/** Why a message was rejected. */
export type WebhookErrorReason = 'incomplete' | 'too-old' | 'too-new' | 'unsigned';

const MESSAGES: Readonly<Record<WebhookErrorReason, string>> = {
  incomplete: 'A webhook header is missing or malformed',
  'too-old': 'The message was sent too long ago',
  'too-new': 'The message has a timestamp in the future; check the clock of this host',
  unsigned: 'No signature was made with a known secret',
};

/** The message is not authentic or not fresh, and must not be acted on. */
export class WebhookVerificationError extends Error {
  readonly reason: WebhookErrorReason;

  constructor(reason: WebhookErrorReason) {
    super(MESSAGES[reason]);
    this.name = 'WebhookVerificationError';
    this.reason = reason;
  }
}

/** Returns a new signing secret: `whsec_` and 32 random bytes in base64. */
export const createWebhookSecret = (): string =>
  PREFIX + randomBytes(KEY_BYTES.created).toString('base64');

/** @throws RangeError unless it is `whsec_` and 24 to 64 bytes in base64; the message does not contain the secret */
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
 * Signs a message as Standard Webhooks 1.0 requires, by the symmetric scheme (HMAC-SHA-256).
 * @param secrets those in use: two during a rotation, else one
 * @throws RangeError if a secret is malformed
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
  /** Any of them may have signed the message. */
  secrets: readonly string[];
  /** Names in lower case, as Node and `Headers` have them. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body exactly as it arrived, before any parsing. */
  body: string | Uint8Array;
  /** The receiver's clock, seconds since 1970. */
  nowSeconds: number;
  /** How far the two clocks may differ, either way; default 300. */
  toleranceSeconds?: number;
}

/**
 * Verifies that a message was signed with a known secret and is fresh. Signatures are compared in
 * constant time.
 * @returns the id, to deduplicate by, and when the message was sent
 * @throws WebhookVerificationError if it is not; RangeError if a secret is malformed
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
