import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../src/platform/problem.ts';
import { type FileQuery, fileLinks } from '../../src/storage/file-links.ts';

const secret = createHash('sha256').update('a secret of the test').digest();
const links = fileLinks(secret);
const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const IN_A_MINUTE = NOW / 1000 + 60;
const KEY = 'out/c/0123/m-1/job_1.png';

/** The query of a link, as the server parses it. */
function queryOf(link: string): FileQuery {
  const { searchParams } = new URL(link, 'http://here.example');
  const { key = '', signature = '', ...rest } = Object.fromEntries(searchParams);
  return { key, signature, ...rest };
}

function rejection(query: FileQuery, nowMillis = NOW): string {
  try {
    links.verify(query, nowMillis);
    return 'none';
  } catch (error) {
    if (error instanceof Problem) return error.type;
    throw error;
  }
}

describe('a link', () => {
  test('gives its file until it expires', () => {
    const link = links.create(KEY, 'red shirt.png', IN_A_MINUTE + 0.9);
    expect(link).toMatch(/^\/intake\/v1\/files\/red-shirt\.png\?key=out%2Fc%2F0123/);
    const file = { key: KEY, expiresAtSeconds: IN_A_MINUTE };
    expect(links.verify(queryOf(link), NOW)).toEqual(file);
    expect(links.verify(queryOf(link), NOW + 59_999)).toEqual(file);
    expect(rejection(queryOf(link), NOW + 60_000)).toBe('gone');
  });

  test('without an expiry never expires', () => {
    const link = links.create('feeds/c/f/export.xml', 'export.xml');
    expect(link).not.toContain('expires');
    const file = { key: 'feeds/c/f/export.xml', expiresAtSeconds: undefined };
    expect(links.verify(queryOf(link), NOW * 2)).toEqual(file);
  });

  const query = queryOf(links.create(KEY, 'a.png', IN_A_MINUTE));
  const { expires: _, ...endless } = query;
  const other = fileLinks(createHash('sha256').update('another').digest());
  const altered: [what: string, query: FileQuery][] = [
    ['another file', { ...query, key: 'out/c/0123/m-1/job_2.png' }],
    ['a later expiry', { ...query, expires: String(IN_A_MINUTE + 1) }],
    ['the same expiry in other digits', { ...query, expires: `0${IN_A_MINUTE}` }],
    ['no expiry', endless],
    ['the expiry as part of the key', { ...endless, key: `${KEY}\n${IN_A_MINUTE}` }],
    ['no signature', { ...query, signature: '' }],
    ['half a signature', { ...query, signature: query.signature.slice(0, 20) }],
    ['a longer signature', { ...query, signature: `${query.signature}AA` }],
    ['the signature of another secret', queryOf(other.create(KEY, 'a.png', IN_A_MINUTE))],
  ];
  test.each(altered)('with %s is not found', (_, wrong) => {
    expect(rejection(wrong)).toBe('not-found');
  });

  const KEYS = ['in/c/job_1', 'sync/c/1/out.png', 'epoch', 'batches/c/b/rows/1', 'outer/x'];
  test.each(KEYS)('to %s is not created', (key) => {
    expect(() => links.create(key, 'a.png')).toThrow(TypeError);
  });

  test('has one safe path segment as its name, for any name given', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const link = links.create(KEY, name, IN_A_MINUTE);
        const { pathname } = new URL(link, 'http://here.example');
        expect(pathname).toMatch(/^\/intake\/v1\/files\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/);
        expect(links.verify(queryOf(link), NOW).key).toBe(KEY);
      }),
      { examples: [['..'], ['.'], [''], ['a/../../b'], ['x'.repeat(500)]] },
    );
  });
});
