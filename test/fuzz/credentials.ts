import { equal, match, ok } from 'node:assert/strict';
import { isKeyShaped } from '../../src/auth/key-record.ts';
import { authorize, sessionIdOf } from '../../src/http/access.ts';
import { requestIdOf } from '../../src/http/request-head.ts';
import type { Caller } from '../../src/http/route.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type Input, randomFor } from './target.ts';

export const dictionary = ['Bearer ', 'slv_', 'selvage-console=', '; ', '%', '"'];

export const seeds: readonly Input[] = [
  'Bearer slv_0123456789abcdefghijklmnopqrst000000',
  'bearer   x ',
  'Basic abc',
  'selvage-console=abc%20; other="1"; selvage-console=%E4',
  '__Host-selvage-console=abc; selvage-console=def',
  'req-1:2.3_4',
  'slv_0000000000000000000000000000003yfJqT',
];

export const regressions: readonly Input[] = [];

/** Only keys of visible characters are looked up, exactly as sent. */
async function checkBearer(text: string): Promise<void> {
  const lookedUp: string[] = [];
  const lookUp = async (key: string): Promise<Caller | undefined> => {
    lookedUp.push(key);
    return undefined;
  };
  const rejection: unknown = await authorize(text, { scope: 'any-key' }, lookUp).catch(
    (error) => error,
  );
  ok(rejection instanceof Problem);
  equal(rejection.type, 'unauthorized');
  for (const key of lookedUp) ok(/^[!-~]{1,200}$/.test(key) && text.includes(key));
}

/** A key with one wrong character is invalid. */
function checkKey(text: string): void {
  if (!isKeyShaped(text)) return;
  match(text, /^slv_[0-9A-Za-z]{36}$/);
  const at = 4 + randomFor(Buffer.from(text)).below(36);
  const other = text[at] === 'a' ? 'b' : 'a';
  equal(isKeyShaped(text.slice(0, at) + other + text.slice(at + 1)), false);
}

export async function fuzz(input: Buffer): Promise<void> {
  const text = input.toString('latin1');
  checkKey(text);
  match(requestIdOf({ headers: { 'x-request-id': text } }), /^[A-Za-z0-9._:-]{1,128}$/);
  const session = sessionIdOf({ cookie: text }, text.length % 2 === 0);
  ok(session === undefined || session.length > 0);
  await checkBearer(text);
}
