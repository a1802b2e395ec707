import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * API keys: `slv_`, 30 random base62 characters (178 bits), and 6 base62 characters of CRC-32 over
 * everything before them. The checksum rejects junk without a lookup and lets secret scanners
 * recognise a key. Those of test keys begin with `slv_test_`.
 */
const PREFIX = 'slv_';
const TEST_PREFIX = `${PREFIX}test_`;
const RANDOM_CHARS = 30;
const CHECKSUM_CHARS = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = new RegExp(`^(${TEST_PREFIX}|${PREFIX})[0-9A-Za-z]{${RANDOM_CHARS + CHECKSUM_CHARS}}$`);

function base62(value: number, width: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < width; i++) {
    text = ALPHABET[rest % 62]! + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

const checksum = (body: string): string => base62(crc32(body), CHECKSUM_CHARS);

export function mintKey(test = false): string {
  const prefix = test ? TEST_PREFIX : PREFIX;
  const random = Array.from({ length: RANDOM_CHARS }, () => ALPHABET[randomInt(62)]!).join('');
  return prefix + random + checksum(prefix + random);
}

/** Returns whether the text has the format and checksum of a key. The key may still be unknown. */
export function isKeyShaped(text: string): boolean {
  return KEY.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_CHARS)));
}

/** Returns what is stored in place of a key: HMAC-SHA-256 under the installation's pepper, hex. */
export const hashKey = (pepper: string, key: string): string =>
  createHmac('sha256', pepper).update(key).digest('hex');

/** Returns the part of a key that may be shown and logged: a quarter, which keeps short keys secret. */
export const displayPrefix = (key: string): string => key.slice(0, Math.floor(key.length / 4));
