import type { Raw } from './chunk.ts';
import { FeedError, shown } from './feed-error.ts';

/** How a feed's bytes become text, a row at a time, and how text between rows goes back to bytes. */
export interface Encoding {
  name: string;
  /** Source bytes to raw, in order: UTF-16 becomes UTF-8 here, all else stays as it is. */
  toRaw(bytes: Buffer): Raw;
  /** Raw back to the source's encoding, in order. */
  toBytes(raw: Raw): Uint8Array;
  /** Text of whole characters; what is no text becomes U+FFFD. */
  decode(raw: Raw): string;
  /** Text back to raw; a character that the encoding lacks becomes a question mark. */
  encode(text: string): Raw;
  /** Whether `decode` must replace something. */
  isBroken(raw: Raw): boolean;
}

/** The UTF-8 byte order mark. */
export const BOM: Raw = '\xef\xbb\xbf';

/** First bytes that give UTF-16 away: its byte order marks, or an ASCII character and its null byte. */
const UTF16 = [
  { name: 'utf-16le', matches: (a: number, b: number) => a === 0xff && b === 0xfe },
  { name: 'utf-16be', matches: (a: number, b: number) => a === 0xfe && b === 0xff },
  { name: 'utf-16le', matches: (a: number, b: number) => a !== 0 && b === 0 },
  { name: 'utf-16be', matches: (a: number, b: number) => a === 0 && b !== 0 },
];

/** Encodings whose ASCII bytes are always ASCII characters, so that rows can be split on bytes. */
const SPLITTABLE = /^(utf-8|iso-8859-\d+|windows-\d+|koi8-[ru]|macintosh)$/;

const fromBytes = (raw: Raw): Buffer => Buffer.from(raw, 'latin1');

const hasNonAscii = (text: string): boolean => /[\u0080-\uffff]/.test(text);

/** What bytes 0x80 to 0x9f are in windows-1252; all others are the characters of their numbers (WHATWG Encoding). */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Node 20 reads windows-1252 as ISO-8859-1, and drops a 0xff that comes first. */
const decodeWindows1252 = (raw: Raw): string =>
  raw.replaceAll(/[\x80-\x9f]/g, (byte) => WINDOWS_1252[byte.charCodeAt(0) - 0x80]!);

/** The encoder that Node has for UTF-8 only, made from what its decoder says of each byte. */
function singleByteEncoder(decode: (raw: Raw) => string): (text: string) => Raw {
  const bytes = Array.from({ length: 128 }, (_, i) => String.fromCharCode(128 + i));
  const rawOf = new Map(bytes.map((byte) => [decode(byte), byte]));
  return (text) => text.replaceAll(/[\u0080-\u{10ffff}]/gu, (letter) => rawOf.get(letter) ?? '?');
}

function canonicalLabel(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function byteEncoding(name: string): Encoding {
  const decoder = new TextDecoder(name, { ignoreBOM: true });
  const strict = new TextDecoder(name, { fatal: true });
  const decodeBytes =
    name === 'windows-1252' ? decodeWindows1252 : (raw: Raw) => decoder.decode(fromBytes(raw));
  const decode = (raw: Raw) => (hasNonAscii(raw) ? decodeBytes(raw) : raw);
  const encode =
    name === 'utf-8'
      ? (text: string) => (hasNonAscii(text) ? Buffer.from(text).toString('latin1') : text)
      : singleByteEncoder(decode);
  return {
    name,
    toRaw: (bytes) => bytes.toString('latin1'),
    toBytes: fromBytes,
    decode,
    encode,
    isBroken(raw) {
      if (!decode(raw).includes('\uFFFD')) return false;
      try {
        strict.decode(fromBytes(raw));
        return false;
      } catch {
        return true;
      }
    },
  };
}

function utf16(name: string): Encoding {
  const decoder = new TextDecoder(name, { ignoreBOM: true });
  const back = new TextDecoder('utf-8', { ignoreBOM: true });
  const utf8 = byteEncoding('utf-8');
  return {
    ...utf8,
    name,
    toRaw: (bytes) => Buffer.from(decoder.decode(bytes, { stream: true })).toString('latin1'),
    toBytes(raw) {
      const bytes = Buffer.from(back.decode(fromBytes(raw), { stream: true }), 'utf16le');
      return name === 'utf-16be' ? bytes.swap16() : bytes;
    },
    // Lone surrogates were already replaced on the way in; a feed has no other use for U+FFFD.
    isBroken: (raw) => utf8.decode(raw).includes('\uFFFD'),
  };
}

const XML_DECLARATION = /^<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;

/**
 * The encoding of a feed: UTF-16 by its first bytes, else a UTF-8 mark, else what the XML declaration
 * says, else `charset`, else UTF-8.
 * @param head the first bytes, 256 or more where the feed has them
 * @param charset from the media type the feed came with
 * @throws FeedError encoding, for one whose rows cannot be found by their bytes
 */
export function detectEncoding(head: Buffer, charset?: string): Encoding {
  const wide = UTF16.find(({ matches }) => head.length > 1 && matches(head[0]!, head[1]!));
  if (wide) return utf16(wide.name);
  const raw = head.subarray(0, 256).toString('latin1');
  if (raw.startsWith(BOM)) return byteEncoding('utf-8');
  const label = XML_DECLARATION.exec(raw)?.[1] ?? charset ?? 'utf-8';
  // Bytes that start so are not UTF-16, whatever they say of themselves; .NET likes to say it.
  const name = canonicalLabel(label)?.replace(/^utf-16.e$/, 'utf-8');
  if (!name || !SPLITTABLE.test(name)) {
    throw new FeedError('encoding', `The encoding ${shown(label)} is not read here; send UTF-8`);
  }
  return byteEncoding(name);
}
