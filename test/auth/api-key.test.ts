import { describe, expect, test } from 'vitest';
import { displayPrefix, hashKey, isKeyShaped, mintKey } from '../../src/auth/key-record.ts';

describe('an API key', () => {
  test('is slv_ and 36 base62 characters, and unique', () => {
    const keys = Array.from({ length: 200 }, mintKey);
    expect(new Set(keys).size).toBe(200);
    for (const key of keys) expect(key).toMatch(/^slv_[0-9A-Za-z]{36}$/);
  });

  test('passes its own checksum, and fails it with any one character changed', () => {
    const key = mintKey();
    expect(isKeyShaped(key)).toBe(true);
    for (let at = 4; at < key.length; at++) {
      const other = key[at] === 'a' ? 'b' : 'a';
      expect(isKeyShaped(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }
  });

  test.each([
    '',
    'slv_',
    'slv_short',
    `${mintKey()}x`,
    `xlv_${mintKey().slice(4)}`,
    `${mintKey()}\n`,
  ])('junk %j is not shaped like a key', (junk) => expect(isKeyShaped(junk)).toBe(false));

  test('is stored as a hash that depends on key and pepper and reveals neither', () => {
    const key = mintKey();
    const hash = hashKey('pepper-of-this-place', key);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toBe(hashKey('another-pepper-here', key));
    expect(hash).not.toBe(hashKey('pepper-of-this-place', mintKey()));
    expect(displayPrefix(key)).toBe(key.slice(0, 10));
  });
});
