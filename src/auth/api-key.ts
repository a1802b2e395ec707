import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * API keys: `slv_`, 30 random base62 characters (178 bits), and 6 base62 characters of CRC-32 over
 * what stands before them, so that junk is refused without a look-up and secret scanners can tell a
 * key from chance.
 */
const PREFIX = 'slv_';
const RANDOM_CHARS = 30;
const CHECK_CHARS = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_CHARS + CHECK_CHARS}}$`);

function base62(value: number, width: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < width; i++) {
    text = ALPHABET[rest % 62]! + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

const checkOf = (body: string): string => base62(crc32(body), CHECK_CHARS);

/** A new key from the system's random source. */
export function mintKey(): string {
  const random = Array.from({ length: RANDOM_CHARS }, () => ALPHABET[randomInt(62)]!).join('');
  return PREFIX + random + checkOf(PREFIX + random);
}

/** Whether the text has the form and check of a key; says nothing of whether it is known. */
export function isKeyShaped(text: string): boolean {
  return KEY.test(text) && text.endsWith(checkOf(text.slice(0, -CHECK_CHARS)));
}

/** What is stored in place of a key: HMAC-SHA-256 under the installation's pepper, hex. */
export const hashKey = (pepper: string, key: string): string =>
  createHmac('sha256', pepper).update(key).digest('hex');

/** The part of a key that may be shown and logged: a quarter, so that a short one stays secret too. */
export const displayPrefix = (key: string): string => key.slice(0, Math.floor(key.length / 4));
