import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** Length of a signing key, bytes, as Standard Webhooks 1.0 requires. */
const KEY_BYTES = { min: 24, created: 32, max: 64 };

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
