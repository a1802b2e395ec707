import { deepEqual, equal, ok } from 'node:assert/strict';
import {
  signWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from '../../src/platform/webhook-signature.ts';
import { type Input, orRejection } from './target.ts';

export const dictionary = ['v1,', 'v1a,', ' ', 'msg_', '1700000000', '\n'];

const secrets = [`whsec_${Buffer.alloc(24, 1).toString('base64')}`];
const NOW_SECONDS = 1_700_000_000;
const signed = signWebhook(secrets, { id: 'msg_1', timestampSeconds: NOW_SECONDS, body: '{}' });

export const seeds: readonly Input[] = [
  `msg_1\n${NOW_SECONDS}\n${signed['webhook-signature']}\n{}`,
  `msg_1\n${NOW_SECONDS - 299}\nv1,AAAA v2,BBBB\n{"a":1}`,
  `msg_1\n1e9\n\n`,
  `\n-1\nv1,\n`,
];

export const regressions: readonly Input[] = [];

/** Lines: id, time, signatures, body. Only a signed message verifies, and not with one byte more. */
export function fuzz(input: Buffer): void {
  const [id = '', timestamp = '', signature = '', ...rest] = input.toString('latin1').split('\n');
  const body = rest.join('\n');
  const verify = (headers: Record<string, string>, text: string) =>
    orRejection(
      () => verifyWebhook({ secrets, headers, body: text, nowSeconds: NOW_SECONDS }),
      WebhookVerificationError,
    );
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  const answer = verify({ ...headers, 'webhook-signature': signature }, body);
  const timestampSeconds = Number(timestamp);
  if (!/^\d{1,12}$/.test(timestamp)) {
    ok(answer instanceof WebhookVerificationError);
    equal(answer.reason, 'incomplete');
    return;
  }
  const right = signWebhook(secrets, { id, timestampSeconds, body })['webhook-signature'];
  const isRight = signature.split(' ').includes(right);
  const isFresh = Math.abs(NOW_SECONDS - timestampSeconds) <= 300;
  equal(answer instanceof WebhookVerificationError, !(isRight && isFresh));
  if (!isFresh) {
    const reason = NOW_SECONDS > timestampSeconds ? 'too-old' : 'too-new';
    equal(answer instanceof WebhookVerificationError && answer.reason, reason);
    return;
  }
  const all = { ...headers, 'webhook-signature': `${signature} ${right}` };
  deepEqual(verify(all, body), { id, timestampSeconds });
  ok(verify(all, `${body}.`) instanceof WebhookVerificationError);
}
