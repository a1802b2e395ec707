import { columnOf } from './columns.ts';
import { detectDelimiter, namedDelimiter } from './csv-cells.ts';
import { BOM, detectEncoding } from './encoding.ts';

export const FEED_FORMATS = ['rss', 'atom', 'xml', 'tsv', 'csv', 'ndjson', 'json'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** What is known of a feed besides its bytes. */
export interface FeedHints {
  /** The media type it was served or uploaded with, including its charset parameter. */
  mediaType?: string;
  /** A file name, or the last part of a URL's path. */
  fileName?: string;
}

/** Where a feed begins in its first bytes. */
export interface Sniffed {
  format: FeedFormat;
  /** Bytes before an XML document. */
  skip?: number;
  /** The line of a header that does not come first, from 1. */
  headerLine?: number;
}

const ROOTS = new Map<string, FeedFormat>([
  ['rss', 'rss'],
  ['rdf', 'rss'],
  ['feed', 'atom'],
]);

/** Extensions, and media types without what is around them: `application/x-…`, `…+xml`. */
const NAMES = new Map<string, FeedFormat>([
  ...FEED_FORMATS.filter((format) => format !== 'xml').map((format) => [format, format] as const),
  ['rdf', 'rss'],
  ['tab-separated-values', 'tsv'],
  ['jsonl', 'ndjson'],
  ['jsonlines', 'ndjson'],
]);

/** Space, processing instructions and comments. */
const BEFORE_ROOT = /^(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)*/;

/** The root's local name, by its tag or by the document type declaration, which the parser rejects later. */
const ROOT = /^<(?:!DOCTYPE\s+)?(?:[\w.-]+:)?([\w.-]+)/i;

/** Elements of HTML, such as those of a notice of PHP before another format. */
const HTML = /^(?:html|head|body|br|b|i|p|div|span|font|pre|script|style|table|hr|h\d)$/;

const IS_PAGE = /^\s*(?:<!doctype\s+html|<html)/i;

function sniffXml(text: string): FeedFormat | undefined {
  const root = ROOT.exec(text.replace(BEFORE_ROOT, ''))?.[1]?.toLowerCase();
  if (root === undefined || HTML.test(root)) return undefined;
  return ROOTS.get(root) ?? 'xml';
}

/** Where an XML document begins after other text, such as a notice of PHP. */
const XML_START = /<\?xml\s|<rss[\s>]|<feed[\s>]/;

function sniffLateXml(text: string): Sniffed | undefined {
  const skip = IS_PAGE.test(text) ? -1 : text.search(XML_START);
  const format = skip < 0 ? undefined : sniffXml(text.slice(skip));
  return format && { format, skip };
}

/** Lines of text that may be above a header. */
const MAX_LINES_ABOVE = 20;

/** Finds the header: the first line with names of columns, or the one below it if that has them too, as Amazon's. */
function sniffDelimited(text: string, isKnown: (label: string) => boolean): Sniffed | undefined {
  const lines = text.split(/\r?\n|\r/, MAX_LINES_ABOVE);
  const read = (at: number) => detectDelimiter(lines[at] ?? '', isKnown);
  let above = lines.findIndex((_, at) => read(at).known > 1);
  if (above < 0) return undefined;
  let found = read(above);
  while (lines[above + 1] !== lines[above]) {
    const below = read(above + 1);
    if (below.known < found.known) break;
    above += 1;
    found = below;
  }
  const isFirst = lines.slice(0, above).every((each) => !each.trim() || namedDelimiter(each));
  const format = found.delimiter === '\t' ? 'tsv' : 'csv';
  return isFirst ? { format } : { format, headerLine: above + 1 };
}

/** What is before the first array of objects, or before the end of the text. */
const JSON_START = /^(?:"(?:[^"\\]|\\.)*"|\[(?!\s*\{)|[^"[])*/;

/** A line that is one object, and followed by another or by nothing, is a row if its keys are those of one. */
function sniffJson(text: string, isKnown: (label: string) => boolean): FeedFormat {
  if (text.startsWith('[')) return 'json';
  const [first = '', ...others] = text.split(/\r?\n/, 200);
  const isWhole = first.trimEnd().endsWith('}');
  if (isWhole && others.some((line) => line.startsWith('{'))) return 'ndjson';
  const start = JSON_START.exec(text)?.[0] ?? '';
  const keys = [...start.matchAll(/"([^"\\]*)"\s*:/g)].map(([, key]) => key!);
  const isRow = keys.filter(isKnown).length > 1;
  return isRow && (isWhole || others.length === 0) ? 'ndjson' : 'json';
}

/** Where a JSON document begins after other text. */
function sniffLateJson(text: string): Sniffed | undefined {
  const skip = text.search(/^[[{]\s*["{\]}]/m);
  return skip > 0 && !IS_PAGE.test(text) ? { format: 'json', skip } : undefined;
}

/** Returns the charset parameter of a media type. */
export const charsetOf = (mediaType: string | undefined): string | undefined =>
  /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mediaType ?? '')?.[1];

function formatByName({ mediaType = '', fileName = '' }: FeedHints): FeedFormat | undefined {
  const type = mediaType.split(';', 1)[0]!.trim().toLowerCase();
  const extension = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
  const name = type.replace(/^(?:text|application)\/(?:x-)?/, '').replace(/\+xml$/, '');
  return NAMES.get(name) ?? NAMES.get(extension);
}

/** Media types with which a feed may be sent; the bytes decide which format it is. */
// biome-ignore format: a list reads best in lines
export const FEED_MEDIA_TYPES = [
  'text/csv', 'application/csv', 'application/vnd.ms-excel', 'text/tab-separated-values',
  'application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/xml',
  'text/xml', 'application/rss+xml', 'application/atom+xml', 'text/plain',
  'application/octet-stream', 'application/gzip', 'application/x-gzip', 'application/zip',
  'application/x-zip-compressed',
] as const;

const EXCEL = 'an Excel workbook: save it as CSV';

/** Files that may be mislabelled as feeds, by bytes at an offset. */
// biome-ignore format: a table reads best aligned
const BINARIES: readonly { what: string; at?: number; bytes: readonly string[] }[] = [
  { what: 'compressed in a way that is not read', bytes: ['\x1f\x8b', 'PK\x03\x04', 'BZh', '\x28\xb5\x2f\xfd', '\xfd7zXZ', '7z\xbc\xaf', 'Rar!', '\x78\x01', '\x78\x9c', '\x78\xda'] },
  { what: 'a zip file with no file in it', bytes: ['PK\x05\x06'] },
  { what: 'a tar archive, which may have several files', at: 257, bytes: ['ustar'] },
  { what: EXCEL, bytes: ['\xd0\xcf\x11\xe0'] },
  { what: 'text in UTF-32: save it as UTF-8', bytes: ['\xff\xfe\0\0', '\0\0\xfe\xff'] },
  { what: 'a binary file', bytes: ['%PDF', '\x89PNG', '\xff\xd8\xff', 'PAR1', 'SQLite format 3'] },
];
const BINARY_BYTES = 300;
const EXCEL_XML = /^\s*<\?xml[^>]*>\s*<\?mso-application progid="Excel/;

/** Names what the bytes are if they are compressed or binary, or a workbook. */
export function nameBinary(head: Buffer): string | undefined {
  const start = head.subarray(0, BINARY_BYTES).toString('latin1');
  if (EXCEL_XML.test(start.replace(BOM, ''))) return EXCEL;
  return BINARIES.find(({ at = 0, bytes }) => bytes.some((each) => start.startsWith(each, at)))
    ?.what;
}

/** Whether the bytes are compressed or binary. */
export const isBinary = (head: Buffer): boolean => nameBinary(head) !== undefined;

/**
 * Detects the format of a feed: by its first bytes if they show it, else by its media type or name.
 * @param head the first bytes; some thousands are enough
 * @param isKnown whether a name is that of a column
 * @returns undefined for anything but a feed, such as an HTML page
 * @throws FeedError encoding
 */
export function sniffFeed(
  head: Buffer,
  hints: FeedHints = {},
  isKnown: (label: string) => boolean = (name) => columnOf(name) !== undefined,
): Sniffed | undefined {
  if (isBinary(head)) return undefined;
  const encoding = detectEncoding(head, charsetOf(hints.mediaType));
  const raw = encoding.toRaw(head);
  const whole = encoding.decode(raw.startsWith(BOM) ? raw.slice(BOM.length) : raw);
  const text = whole.replace(/^[\s\p{Cc}]+/u, ''); // RFC 7464 writes 0x1e before each JSON text
  const named = (format: FeedFormat | undefined): Sniffed | undefined => format && { format };
  if (text.startsWith('<')) {
    const late = /^<(?:\?|!--|!doctype|rss|feed|[\w.-]+:)/i.test(text)
      ? undefined
      : sniffLateXml(whole);
    const found = late ?? named(sniffXml(text));
    if (found || IS_PAGE.test(text)) return found;
  }
  if (/^[[{]/.test(text)) return named(sniffJson(text, isKnown));
  const late = sniffDelimited(whole, isKnown) ?? sniffLateXml(whole) ?? sniffLateJson(whole);
  return late ?? named(text.startsWith('<') ? undefined : formatByName(hints));
}
