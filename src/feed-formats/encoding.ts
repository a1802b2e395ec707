import type { Raw } from './chunk.ts';
import { detectDelimiter } from './csv-cells.ts';
import { excerpt, FeedError } from './feed-error.ts';
import { knownNames } from './mapping.ts';

/** Decodes a feed row by row, and encodes it again. */
export interface Encoding {
  name: string;
  /** Converts source bytes to raw, in order: UTF-16 becomes UTF-8, other encodings stay unchanged. */
  toRaw(bytes: Buffer): Raw;
  /** Converts raw back to the source's encoding, in order. */
  toBytes(raw: Raw): Uint8Array;
  /** Decodes whole characters; invalid bytes become U+FFFD. */
  decode(raw: Raw): string;
  /** Encodes text; a character that the encoding lacks becomes a question mark. */
  encode(text: string): Raw;
  /** Whether `decode` would replace anything. */
  isBroken(raw: Raw): boolean;
}

/** The UTF-8 byte order mark. */
export const BOM: Raw = '\xef\xbb\xbf';

/** First bytes of UTF-16: a byte order mark, or an ASCII character with its null byte. */
const UTF16 = [
  { name: 'utf-16le', matches: (a: number, b: number) => a === 0xff && b === 0xfe },
  { name: 'utf-16be', matches: (a: number, b: number) => a === 0xfe && b === 0xff },
  { name: 'utf-16le', matches: (a: number, b: number) => a !== 0 && b === 0 },
  { name: 'utf-16be', matches: (a: number, b: number) => a === 0 && b !== 0 },
];

/** Encodings in which an ASCII byte is always an ASCII character: their rows can be split on bytes. */
const SPLITTABLE = /^(utf-8|iso-8859-\d+|windows-\d+|koi8-[ru]|macintosh)$/;

/**
 * Encodings whose second bytes may be ASCII from 0x40 on. Commas, tabs, quotes, line breaks and the marks of XML come
 * before it, so tables and XML can be split on bytes; the brackets and backslashes of JSON come after it.
 */
const TWO_BYTES = /^(shift_jis|gbk|gb18030|big5|euc-jp|euc-kr)$/;

/** Whether JSON in this encoding cannot be split on bytes. */
export const hidesBrackets = ({ name }: Encoding): boolean => TWO_BYTES.test(name);

/** Encodings in which programs export tables without naming them, the most frequent first. */
const EXPORTED = [
  ...['windows-1252', 'windows-1250', 'windows-1251', 'shift_jis'],
  ...['gbk', 'big5', 'euc-kr', 'euc-jp', 'windows-1253', 'windows-1254'],
];

const fromBytes = (raw: Raw): Buffer => Buffer.from(raw, 'latin1');

const hasNonAscii = (text: string): boolean => /[\u0080-\uffff]/.test(text);

/** Characters of bytes 0x80 to 0x9f in windows-1252; other bytes equal their code points (WHATWG Encoding). */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Node 20 decodes windows-1252 as ISO-8859-1, and drops a leading 0xff. */
const decodeWindows1252 = (raw: Raw): string =>
  raw.replaceAll(/[\x80-\x9f]/g, (byte) => WINDOWS_1252[byte.charCodeAt(0) - 0x80]!);

const range = (from: number, to: number): Raw[] =>
  Array.from({ length: to - from }, (_, i) => String.fromCharCode(from + i));

/** Builds an encoder from the decoder's result for each byte, or pair of bytes: Node encodes UTF-8 only. */
function encoderOf(name: string, decode: (raw: Raw) => string): (text: string) => Raw {
  const pairs = () => range(0x81, 0xff).flatMap((a) => range(0x40, 0xff).map((b) => a + b));
  let rawOf: Map<string, Raw> | undefined;
  return (text) => {
    if (!hasNonAscii(text)) return text;
    const raws = () => [...(TWO_BYTES.test(name) ? pairs() : []), ...range(0x80, 0x100)];
    rawOf ??= new Map(raws().map((raw) => [decode(raw), raw]));
    return text.replaceAll(/[\u0080-\u{10ffff}]/gu, (char) => rawOf?.get(char) ?? '?');
  };
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
      : encoderOf(name, decode);
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
    // `toRaw` already replaced lone surrogates; a feed has no other use for U+FFFD.
    isBroken: (raw) => utf8.decode(raw).includes('\uFFFD'),
  };
}

/** What programs write in place of an encoding. */
const NO_ENCODING = /^(ansi|binary|none|auto|unknown|utf8mb4)$/i;

const XML_DECLARATION = /<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** A character of UTF-8 beyond ASCII, in bytes. */
const MULTIBYTE = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;
/** A byte that windows-1252 has and that is not the start of one, followed by ASCII. */
const LONE_BYTE = /[\x80\x82-\x8c\x8e\x91-\x9c\x9e-\xfc](?![\x80-\xff]|$)/;

/** Whether bytes of no known encoding are text of Excel's default in Western Europe: nothing in them is UTF-8. */
const isWindows1252 = (raw: Raw): boolean => LONE_BYTE.test(raw) && !MULTIBYTE.test(raw);

/**
 * Returns the encoding in which the first line has more names of columns than in UTF-8: the header of a table says what
 * its program did not.
 */
function encodingOfHeader(raw: Raw): string | undefined {
  const header = /^[^\r\n]*/.exec(raw)?.[0] ?? '';
  if (!hasNonAscii(header) || header.trimStart().startsWith('<')) return undefined;
  const isKnown = knownNames({});
  const countIn = (name: string) =>
    detectDelimiter(byteEncoding(name).decode(header), isKnown).known;
  let best = { name: 'utf-8', known: countIn('utf-8') };
  for (const name of EXPORTED) {
    const known = countIn(name);
    if (known > best.known) best = { name, known };
  }
  return best.name === 'utf-8' ? undefined : best.name;
}

/** Returns the encoding that the XML declaration or else the media type names. */
export const givenEncoding = (raw: Raw, charset: string | undefined): string | undefined =>
  [XML_DECLARATION.exec(raw.slice(0, 4096))?.[1], charset].find(
    (each) => each !== undefined && !NO_ENCODING.test(each),
  );

/**
 * Detects the encoding of a feed: UTF-16 by its first bytes, else UTF-8 by its byte order mark, else the XML
 * declaration, else `charset`, else the one in which a table's header is known, else UTF-8. What should be UTF-8, but has
 * nothing but ASCII that is, is windows-1252.
 * @param head the first bytes, 256 or more if the feed has them
 * @param charset of the feed's media type
 * @param isCertain whether text that is said to be UTF-8 is, whatever it looks like
 * @throws FeedError encoding, if rows cannot be split on bytes in it
 */
export function detectEncoding(head: Buffer, charset?: string, isCertain = false): Encoding {
  const wide = UTF16.find(({ matches }) => head.length > 1 && matches(head[0]!, head[1]!));
  if (wide) return utf16(wide.name);
  const raw = head.toString('latin1');
  if (raw.startsWith(BOM)) return byteEncoding('utf-8');
  const given = givenEncoding(raw, charset);
  const isNamed = given !== undefined && (isCertain || canonicalLabel(given) !== 'utf-8');
  const guess = () => encodingOfHeader(raw) ?? (isWindows1252(raw) ? 'windows-1252' : 'utf-8');
  const label = isNamed ? given : guess();
  // A declaration readable as ASCII cannot be UTF-16, even if it says so; .NET often does.
  const name = canonicalLabel(label)?.replace(/^utf-16.e$/, 'utf-8');
  if (!name || !(SPLITTABLE.test(name) || TWO_BYTES.test(name)))
    throw new FeedError('encoding', `The encoding ${excerpt(label)} is not supported; send UTF-8`);
  return byteEncoding(name);
}
