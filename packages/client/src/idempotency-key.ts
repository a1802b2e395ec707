/** Returns 32 random hexadecimal digits. */
export function randomKey(): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns an `Idempotency-Key` header. Create one for a call and send it with every attempt. */
export const idempotencyKey = (key = randomKey()): Record<string, string> => ({
  'idempotency-key': key,
});
