import { equal, match, ok } from 'node:assert/strict';
import { readIdempotencyKey } from '../../src/api/intake/idempotent.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type Input, orRejection } from './target.ts';

export const dictionary = ['"', '""', '\\"', ' '];

export const seeds: readonly Input[] = [
  '8e03978e-40d5-43e8-bc93-6894a57f9324',
  '"8e03978e-40d5-43e8-bc93-6894a57f9324"',
  '"half',
  'two words',
  '',
  'x'.repeat(255),
  'x'.repeat(256),
  'ümlaut',
];

export const regressions: readonly Input[] = [];

const read = (text: string) =>
  orRejection(() => readIdempotencyKey({ 'idempotency-key': text }), Problem);

/** A key of visible characters, the same with and without quotes, or an invalid-request. */
export function fuzz(input: Buffer): void {
  const text = input.toString('latin1');
  const key = read(text);
  if (key instanceof Problem) {
    equal(key.type, 'invalid-request');
    ok(!key.detail.includes(text) || text.length < 30);
    return;
  }
  match(key ?? '', /^[!#-~]{1,255}$/);
  ok(text.includes(key ?? ''));
  equal(read(`"${key}"`), key);
  equal(read(key ?? ''), key);
}
