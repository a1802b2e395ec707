import { columnOf } from './columns.ts';
import { detectDelimiter } from './csv-cells.ts';
import { BOM, detectEncoding } from './encoding.ts';

export const FEED_FORMATS = ['rss', 'atom', 'tsv', 'csv', 'ndjson'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** What is known of a feed besides its bytes. */
export interface FeedHints {
  /** The media type it was served or uploaded with, including its charset parameter. */
  mediaType?: string;
  /** A file name, or the last part of a URL's path. */
  fileName?: string;
}

const ROOTS: Readonly<Record<string, FeedFormat>> = { rss: 'rss', rdf: 'rss', feed: 'atom' };

const MEDIA_TYPES: Readonly<Record<string, FeedFormat>> = {
  'application/rss+xml': 'rss',
  'application/rdf+xml': 'rss',
  'application/atom+xml': 'atom',
  'text/tab-separated-values': 'tsv',
  'text/csv': 'csv',
  'application/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/jsonlines': 'ndjson',
};

const EXTENSIONS: Readonly<Record<string, FeedFormat>> = {
  rss: 'rss',
  atom: 'atom',
  tsv: 'tsv',
  csv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

/** Looks up an untrusted name: `constructor` must not find an inherited property. */
const formatIn = (
  table: Readonly<Record<string, FeedFormat>>,
  name: string | undefined,
): FeedFormat | undefined =>
  name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;

/** Space, processing instructions and comments. */
const BEFORE_ROOT = /^(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)*/;

/** The root's local name, by its tag or by the document type declaration, which the parser rejects later. */
const ROOT = /^<(?:!DOCTYPE\s+)?(?:[\w.-]+:)?([\w.-]+)/i;

function sniffXml(text: string): FeedFormat | undefined {
  const root = ROOT.exec(text.replace(BEFORE_ROOT, ''))?.[1];
  return formatIn(ROOTS, root?.toLowerCase());
}

function sniffDelimited(text: string): FeedFormat | undefined {
  const { delimiter, known } = detectDelimiter(
    firstLine(text),
    (name) => columnOf(name) !== undefined,
  );
  if (known < 2) return undefined;
  return delimiter === '\t' ? 'tsv' : 'csv';
}

const firstLine = (text: string): string => /^.*/.exec(text)![0];

/** Returns the charset parameter of a media type. */
export const charsetOf = (mediaType: string | undefined): string | undefined =>
  /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mediaType ?? '')?.[1];

function formatByName({ mediaType = '', fileName = '' }: FeedHints): FeedFormat | undefined {
  const type = mediaType.split(';')[0]!.trim().toLowerCase();
  const extension = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase();
  return formatIn(MEDIA_TYPES, type) ?? formatIn(EXTENSIONS, extension);
}

/** First bytes of files that may be mislabelled as feeds: gzip, zip, zstd, PDF, images. */
const BINARIES = ['\x1f\x8b', 'PK\x03\x04', '\x28\xb5\x2f\xfd', '%PDF', '\x89PNG', '\xff\xd8\xff'];

/** Whether the bytes are compressed or binary. */
export function isBinary(head: Buffer): boolean {
  const start = head.subarray(0, 4).toString('latin1');
  return BINARIES.some((binary) => start.startsWith(binary));
}

/**
 * Detects the format of a feed: by its first bytes if they show it, else by its media type or name.
 * @param head the first bytes; some thousands are enough
 * @returns undefined for anything but a feed, such as an HTML page or a JSON array
 * @throws FeedError encoding
 */
export function sniffFeed(head: Buffer, hints: FeedHints = {}): FeedFormat | undefined {
  if (isBinary(head)) return undefined;
  const encoding = detectEncoding(head, charsetOf(hints.mediaType));
  const raw = encoding.toRaw(head);
  const text = encoding.decode(raw.startsWith(BOM) ? raw.slice(BOM.length) : raw).trimStart();
  if (text.startsWith('<')) return sniffXml(text);
  if (/^[[{]/.test(text)) return /^\{[ \t]*["}]/.test(text) ? 'ndjson' : undefined;
  return sniffDelimited(text) ?? formatByName(hints);
}
