import { deepEqual, ok } from 'node:assert/strict';
import { Problem } from '../../src/platform/problem.ts';
import { fileLinks } from '../../src/storage/file-links.ts';
import { type Input, orRefusal } from './target.ts';

export const words = [
  'key=',
  '&expires=',
  '&signature=',
  'out/',
  'feeds/',
  '%0A',
  '../',
  '1900000000',
];

export const seeds: readonly Input[] = [
  `key=out/a/b.png&expires=1900000000&signature=${'A'.repeat(43)}`,
  'key=feeds/a&signature=&expires=',
  'key=in/a&expires=-1&signature=A',
  'key=out/../in/a%0A&expires=1e99',
];

export const found: readonly Input[] = [];

const links = fileLinks(Buffer.alloc(32, 1));
const NOW_MILLIS = 1_700_000_000_000;

/** Nobody makes a link up; one that was made gives its file, under another name too, and no other. */
export function holds(input: Buffer): void {
  const query = new URLSearchParams(input.toString());
  const [key, expires, signature] = ['key', 'expires', 'signature'].map((name) => query.get(name));
  const sent = { key: key ?? '', expires: expires ?? undefined, signature: signature ?? '' };
  const refusal = orRefusal(() => links.read(sent, NOW_MILLIS), Problem);
  ok(refusal instanceof Problem && refusal.type === 'not-found');

  const path = orRefusal(
    () => links.make(sent.key, sent.signature, NOW_MILLIS / 1000 + 1),
    TypeError,
  );
  if (path instanceof TypeError) return;
  const url = new URL(path, 'http://gateway.test');
  ok(/^\/intake\/v1\/files\/[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(url.pathname), url.pathname);
  const { key: made = '', ...rest } = Object.fromEntries(url.searchParams);
  const read = (other: string) =>
    orRefusal(() => links.read({ ...sent, ...rest, key: other }, NOW_MILLIS), Problem);
  deepEqual(read(made), { key: sent.key, expiresAtSeconds: NOW_MILLIS / 1000 + 1 });
  ok(read(`${made}/`) instanceof Problem);
}
