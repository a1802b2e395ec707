import { fieldProblem, type Problem } from '../platform/problem.ts';
import { countUpTo } from './json-body.ts';

/** Line breaks, as the base64 command and MIME write them, and what browsers skip besides. */
const WHITESPACE = [...' \n\r\t\f'];
/** Whitespace in any base64; a longer one may have one such character in 32. */
const MIN_WHITESPACE = 1000;

/** Schemes have no case (RFC 3986, section 3.1). */
const DATA_SCHEME = /^\s{0,16}data:/i;
/** With any type and parameters: the first bytes of the data decide what it is. */
const DATA_URL = /^\s{0,16}data:[^,]{0,200};\s?base64,/i;

const rejected = (member: string, error: string, detail: string): Problem =>
  fieldProblem('invalid-request', `/${member}`, error, detail);

/** "+", "/" and "=" as addresses and forms write them. */
const PERCENT_ENCODED = /%(?:2B|2F|3D)/i;

function notBase64(member: string, text: string): Problem {
  if (PERCENT_ENCODED.test(text)) {
    const error = 'is percent-encoded';
    return rejected(
      member,
      error,
      `${member} ${error}, as in a form; decode it, or send JSON as it is`,
    );
  }
  const error = 'has characters or a length that base64 cannot have';
  return rejected(member, error, `${member} is not base64`);
}

/** @throws Problem if a data URL is not in base64 */
function withoutDataUrl(text: string, member: string): string {
  if (!DATA_SCHEME.test(text)) return text;
  const match = DATA_URL.exec(text);
  if (match) return text.slice(match[0].length);
  throw rejected(
    member,
    'is not of the form data:image/<type>;base64,<data>',
    'A data URL must have the form data:image/<type>;base64,<data>',
  );
}

/** Returns the number of equals signs at the end: 2 at most. */
const paddingOf = (text: string): number => (text.endsWith('==') ? 2 : Number(text.endsWith('=')));

/** The decoder skips characters that are not base64, and then returns too few bytes. */
const bytesOf = (base64Chars: number): number => Math.floor((base64Chars * 3) / 4);

/** Whether the spaces stand at equal distances, as those that fold lines do. */
function isFolded(text: string): boolean {
  const length = text.indexOf(' ');
  let from = length + 1;
  for (let at = text.indexOf(' ', from); at >= 0; at = text.indexOf(' ', from)) {
    if (at - from !== length) return false;
    from = at + 1;
  }
  return text.length - from <= length;
}

/** A decoder of forms reads "+" as a space. */
const lostPlusSigns = (text: string): boolean =>
  text.includes(' ') && !/[+\n\r\t\f]/.test(text) && text.length % 4 === 0 && !isFolded(text);

/** The decoder would take the low byte of a character past ASCII. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/**
 * Decodes base64 of either alphabet, or a data URL of any type, in a few native passes over the text: a body may hold
 * 26 MiB of it.
 * @param maxBytes of the decoded bytes
 * @param member the text's name in errors
 * @throws Problem invalid-request, payload-too-large
 */
export function decodeBase64(sent: string, maxBytes: number, member: string): Buffer {
  const untrimmed = withoutDataUrl(sent, member);
  const text = untrimmed.trim();
  const maxWhitespace = Math.max(MIN_WHITESPACE, text.length / 32);
  const whitespace = countUpTo(text, WHITESPACE, maxWhitespace);
  if (lostPlusSigns(untrimmed)) {
    const detail = `${member} has spaces where base64 has "+": a form decoder replaced them. Write "+" as %2B in a form, or send JSON`;
    throw rejected(member, 'has spaces where base64 has "+"', detail);
  }
  if (whitespace > maxWhitespace) throw notBase64(member, text);
  const chars = text.length - whitespace - paddingOf(text);
  if (bytesOf(chars) > maxBytes) {
    throw fieldProblem(
      'payload-too-large',
      `/${member}`,
      `is larger than ${maxBytes} bytes`,
      `The image is larger than ${maxBytes} bytes; send a smaller or more compressed one`,
    );
  }
  if (chars % 4 === 1 || !isAscii(text)) throw notBase64(member, text);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== bytesOf(chars)) throw notBase64(member, text);
  return bytes;
}
