import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { createWebhookSecret, signWebhook } from '../../src/platform/webhook-signature.ts';

/** The worked example that the reference libraries of Standard Webhooks test themselves with. */
const EXAMPLE = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  message: {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSeconds: 1_614_265_330,
    body: '{"test": 2432232314}',
  },
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

const keyOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

describe('signing', () => {
  test('gives the signature of the worked example', () => {
    expect(signWebhook([EXAMPLE.secret], EXAMPLE.message)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': EXAMPLE.signature,
    });
  });

  test('signs text and its UTF-8 bytes alike', () => {
    const body = '{"name":"Übergröße 👗"}';
    const message = { ...EXAMPLE.message, body };
    const bytes = { ...message, body: new TextEncoder().encode(body) };
    expect(signWebhook([EXAMPLE.secret], bytes)).toEqual(signWebhook([EXAMPLE.secret], message));
  });

  test('signs once with each secret in use', () => {
    const older = createWebhookSecret();
    const { 'webhook-signature': both } = signWebhook([EXAMPLE.secret, older], EXAMPLE.message);
    const { 'webhook-signature': alone } = signWebhook([older], EXAMPLE.message);
    expect(both).toBe(`${EXAMPLE.signature} ${alone}`);
  });

  test('a new secret is 32 bytes and unique', () => {
    const [one, other] = [createWebhookSecret(), createWebhookSecret()];
    expect(Buffer.from(one.replace('whsec_', ''), 'base64')).toHaveLength(32);
    expect(one).not.toBe(other);
  });

  test.each([
    { why: 'is too short', secret: keyOf(23) },
    { why: 'is too long', secret: keyOf(65) },
    { why: 'lacks the prefix', secret: keyOf(32).replace('whsec_', '') },
    { why: 'has another prefix', secret: keyOf(32).replace('whsec_', 'wh_sec') },
    { why: 'is not base64', secret: `${keyOf(32)}!` },
    { why: 'is empty', secret: '' },
  ])('a secret that $why is rejected, and not in the message', ({ secret }) => {
    const signing = () => signWebhook([secret], EXAMPLE.message);
    expect(signing).toThrow(RangeError);
    expect(signing).toThrow('A webhook secret is whsec_ and 24 to 64 bytes in base64');
  });

  test.each([24, 64])('a secret of %i bytes is accepted', (bytes) => {
    expect(signWebhook([keyOf(bytes)], EXAMPLE.message)['webhook-signature']).toMatch(/^v1,/);
  });
});

/** Any but half a surrogate pair, as fast-check's `binary`, which takes seconds to list a million of them. */
const character = fc
  .integer({ min: 0, max: 0x10_ff_ff })
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code));

describe('interoperability with the standardwebhooks package', () => {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const messages = fc.record({
    id: fc.stringMatching(/^msg_[A-Za-z0-9]{8,40}$/),
    text: fc.string({ unit: character }).map((text) => JSON.stringify({ text })),
    secret: fc
      .uint8Array({ minLength: 24, maxLength: 64 })
      .map((key) => `whsec_${Buffer.from(key).toString('base64')}`),
  });

  test('it accepts what we sign', () => {
    fc.assert(
      fc.property(messages, ({ id, text, secret }) => {
        const signed = { id, timestampSeconds: nowSeconds, body: text };
        const headers = signWebhook([createWebhookSecret(), secret], signed);
        expect(new Webhook(secret).verify(text, { ...headers })).toEqual(JSON.parse(text));
      }),
    );
  });

  test('it rejects what we sign with another secret', () => {
    const { message } = EXAMPLE;
    const signed = { ...message, timestampSeconds: nowSeconds };
    const headers = signWebhook([createWebhookSecret()], signed);
    expect(() => new Webhook(EXAMPLE.secret).verify(message.body, { ...headers })).toThrow(
      'No matching signature',
    );
  });
});
