import { columnOf } from './columns.ts';
import { detectDelimiter } from './csv-cells.ts';
import { BOM, detectEncoding } from './encoding.ts';

export const FEED_FORMATS = ['rss', 'atom', 'tsv', 'csv', 'ndjson'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** What is known of a feed beside its bytes. */
export interface FeedHints {
  /** The media type it was served or uploaded with; its charset parameter counts too. */
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

/** Names are strangers' words: `constructor` is in no table of ours. */
const formatIn = (
  table: Readonly<Record<string, FeedFormat>>,
  name: string | undefined,
): FeedFormat | undefined =>
  name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;

/** Space, processing instructions and comments. */
const BEFORE_ROOT = /^(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)*/;

/** The root's local name: of its tag, or already of the document type, which the parser will refuse. */
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

/** The charset parameter of a media type. */
export const charsetOf = (mediaType: string | undefined): string | undefined =>
  /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mediaType ?? '')?.[1];

function formatByName({ mediaType = '', fileName = '' }: FeedHints): FeedFormat | undefined {
  const type = mediaType.split(';')[0]!.trim().toLowerCase();
  const extension = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase();
  return formatIn(MEDIA_TYPES, type) ?? formatIn(EXTENSIONS, extension);
}

/** First bytes of what may be labelled a feed and is none: gzip, zip, zstd, PDF, images. */
const BINARIES = ['\x1f\x8b', 'PK\x03\x04', '\x28\xb5\x2f\xfd', '%PDF', '\x89PNG', '\xff\xd8\xff'];

/** Whether the bytes are packed, or no text at all. */
export function isBinary(head: Buffer): boolean {
  const start = head.subarray(0, 4).toString('latin1');
  return BINARIES.some((binary) => start.startsWith(binary));
}

/**
 * The format of a feed: by its first bytes where they say it, else by its media type or name.
 * @param head the first bytes; some thousands are enough
 * @returns undefined for anything that is no feed, an HTML page or a JSON array among them
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
