import { deepEqual, ok } from 'node:assert/strict';
import { Problem } from '../../src/platform/problem.ts';
import { fileLinks } from '../../src/storage/file-links.ts';
import { type Input, orRejection } from './target.ts';

export const dictionary = [
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

export const regressions: readonly Input[] = [];

const links = fileLinks(Buffer.alloc(32, 1));
const NOW_MILLIS = 1_700_000_000_000;

/** Links cannot be forged; a created link gives its file, under another name too, and no other. */
export function fuzz(input: Buffer): void {
  const query = new URLSearchParams(input.toString());
  const [key, expires, signature] = ['key', 'expires', 'signature'].map((name) => query.get(name));
  const sent = { key: key ?? '', expires: expires ?? undefined, signature: signature ?? '' };
  const rejection = orRejection(() => links.verify(sent, NOW_MILLIS), Problem);
  ok(rejection instanceof Problem && rejection.type === 'not-found');

  const path = orRejection(
    () => links.create(sent.key, sent.signature, NOW_MILLIS / 1000 + 1),
    TypeError,
  );
  if (path instanceof TypeError) return;
  const url = new URL(path, 'http://gateway.test');
  ok(/^\/intake\/v1\/files\/[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(url.pathname), url.pathname);
  const { key: made = '', ...rest } = Object.fromEntries(url.searchParams);
  const read = (other: string) =>
    orRejection(() => links.verify({ ...sent, ...rest, key: other }, NOW_MILLIS), Problem);
  deepEqual(read(made), { key: sent.key, expiresAtSeconds: NOW_MILLIS / 1000 + 1 });
  ok(read(`${made}/`) instanceof Problem);
}
