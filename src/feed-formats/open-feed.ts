import { FEED_LIMITS, type FeedLimits, type Splitter } from './chunk.ts';
import { csvSplitter } from './csv.ts';
import { BOM, detectEncoding, type Encoding, givenEncoding, hidesBrackets } from './encoding.ts';
import { excerpt, FeedError, type TakeNote } from './feed-error.ts';
import { DOCUMENT, isAt, isWithin } from './item-paths.ts';
import { jsonSplitter } from './json.ts';
import type { FeedMapping, Reading } from './mapping.ts';
import { GOOGLE_READING, knownNames, missingColumns, recognise } from './mapping.ts';
import { ndjsonSplitter } from './ndjson.ts';
import type { FeedFormat, FeedHints, Sniffed } from './sniff.ts';
import { charsetOf, nameBinary, sniffFeed } from './sniff.ts';
import { xmlSplitter } from './xml.ts';
import { xmlPaths } from './xml-item.ts';

/** How to read a feed: in a given format, or in the one detected from its bytes and these hints. */
export interface FeedReadOptions extends FeedHints {
  format?: FeedFormat | undefined;
  mapping?: FeedMapping | undefined;
  limits?: FeedLimits;
  takeNote?: TakeNote | undefined;
}

/** What the splitters of all formats need. */
interface SplitterOptions extends Omit<Sniffed, 'format'> {
  encoding: Encoding;
  limits: FeedLimits;
  columnOf: Reading['columnOf'];
  items: string | undefined;
  lineEnd: '\n' | '\r';
  /** The columns that the header must have, and what they are called. */
  required: ReturnType<typeof missingColumns>;
  onObject?: (path: string) => void;
  takeNote?: TakeNote | undefined;
}

const delimited = ({ limits, ...options }: SplitterOptions, delimiter?: string) =>
  csvSplitter({ ...options, delimiter, maxRowBytes: limits.maxRowBytes });

const SPLITTERS: Readonly<Record<FeedFormat, (options: SplitterOptions) => Splitter>> = {
  rss: (options) => xmlSplitter({ ...options, format: 'rss' }),
  atom: (options) => xmlSplitter({ ...options, format: 'atom' }),
  xml: (options) => xmlSplitter({ ...options, format: 'xml' }),
  tsv: (options) => delimited(options, '\t'),
  csv: (options) => delimited(options),
  ndjson: (options) => ndjsonSplitter({ ...options, maxRowBytes: options.limits.maxRowBytes }),
  json: (options) => jsonSplitter({ ...options, maxRowBytes: options.limits.maxRowBytes }),
};

/** The formats that are read where the mapping names the path of the rows. */
const BY_PATH: Partial<Record<FeedFormat, FeedFormat>> = {
  rss: 'xml',
  atom: 'xml',
  ndjson: 'json',
};

/** A path that no JSON has. */
const NOWHERE = '\0';

/** Rows at the beginning of a feed whose names are looked at; XML and JSON may have others in each. */
const SAMPLED_ROWS = 50;

/** Returns the names in the header, or in the first rows. */
function sampleLabels(splitter: Splitter, raw: string): string[] {
  const labels = new Set<string>();
  let rows = 0;
  try {
    for (const chunk of splitter.push(raw)) {
      const header = chunk.kind === 'between' ? chunk.header : undefined;
      if (header) return header.map((label) => label.trim());
      const cells = chunk.kind === 'record' ? chunk.cells : [];
      // A name that is known has Google's prefix, whichever that is.
      for (const { label, name } of cells) labels.add(name ? label.replace(/^\w+:/, '') : label);
      if (++rows > SAMPLED_ROWS) break;
    }
  } catch (error) {
    if (!(error instanceof FeedError)) throw error; // the reading itself comes to it and throws it
  }
  return [...labels];
}

/** The items of a document and how they are read. */
interface FoundItems {
  items: string;
  labels: readonly string[];
  reading: Reading;
}

/** Elements around products, which may have an id and a picture of their own. */
const AROUND =
  /(?:^|\/)(?:categor(?:y|ies|ie|ia)|kategori[ea]|group|collection|department|section|brand)$/i;

const parentOf = (path: string): string => path.replace(/[^/]*$/, '');

/** Finds the outermost elements that have an id and an image, and those beside them. @throws FeedError */
function findXmlItems(text: string, mapping: FeedMapping, takeNote: TakeNote): FoundItems {
  const paths = [...xmlPaths(text)].filter(([path]) => path.includes('/'));
  const named = paths.filter(([path]) => isAt(path, mapping.items ?? ''));
  const has = paths.slice(0, 20).map(([path]) => excerpt(path));
  if (mapping.items !== undefined && named.length === 0) {
    const detail = `The XML has no element at the path ${excerpt(mapping.items)}; it has ${has.join(', ')}`;
    throw new FeedError('no-items', detail);
  }
  const { preset, baseUrl, separator, group } = mapping;
  const isNamed = mapping.id !== undefined || mapping.items !== undefined;
  const own = isNamed ? mapping : { preset, baseUrl, separator, group };
  const candidates = mapping.items === undefined ? paths : named;
  const fits = candidates.filter(([, labels]) => fitting(() => recognise([...labels], own)));
  const isAround = ([path]: (typeof fits)[number]) =>
    AROUND.test(path) && fits.some(([inner]) => inner.startsWith(`${path}/`));
  const first = fits.find((each) => !isAround(each));
  if (first) {
    const [path] = first;
    const beside = fits.filter((each) => parentOf(each[0]) === parentOf(path) && !isAround(each));
    const labels = [...new Set(beside.flatMap(([, each]) => [...each]))];
    const items = mapping.items ?? (beside.length > 1 ? `${parentOf(path)}*` : path);
    const reading = recognise(labels, own)!;
    noteOthers({ items, labels, reading }, fits, takeNote);
    return { items, labels, reading };
  }
  if (named[0]) recognise([...named[0][1]], mapping);
  if (paths.length === 0)
    throw new FeedError('unknown-format', 'The XML has an outermost element only: no products');
  const detail = `No element of the XML has an id and an image that are recognised; it has ${has.join(', ')}: name the path of the items and the columns in the mapping`;
  throw new FeedError('unknown-format', detail);
}

/** Takes note of elements with an id and an image of which nothing is read. */
function noteOthers(
  { items, reading }: FoundItems,
  fits: readonly [path: string, labels: ReadonlySet<string>][],
  takeNote: TakeNote,
): void {
  const depth = items.split('/').length;
  for (const [path, labels] of fits) {
    const within = path.split('/').slice(depth);
    const isRead = [...labels].some((label) => reading.columnOf([...within, label].join('/')));
    if (!isAt(path, items) && !(isWithin(path, items) && isRead)) takeNote('other-lists', 1);
  }
}

/** Returns what is read, or undefined if nothing fits, or the mapping names what is not there. */
function fitting<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    const isMissing = error instanceof FeedError && /^(mapping|unknown-format)$/.test(error.reason);
    if (isMissing) return undefined;
    throw error;
  }
}

/** What a list of products is named: a document with one, even an empty one, is no product itself. */
const LISTS = /^(?:products|items|results|data|entries|records|rows)$/i;

/** Lists of JSON that are looked at. */
const MAX_LISTS = 20;

/** Whether these are of a product, although its id or image is not known: what is within it are no rows. */
const isRow = (labels: readonly string[], isKnown: (label: string) => boolean): boolean =>
  labels.some(
    (label) =>
      isKnown(label) &&
      !label.includes('/') &&
      !labels.some((each) => each.startsWith(`${label}/`)),
  );

/**
 * Finds the outermost list of JSON whose objects have an id and an image.
 * @throws FeedError ambiguous, if there are several
 */
function findJsonItems(
  open: (options: { items: string; onObject?: (path: string) => void }) => Splitter,
  raw: string,
  mapping: FeedMapping,
): FoundItems | undefined {
  const paths = new Set<string>();
  const onObject = (path: string) => paths.size < MAX_LISTS && paths.add(path);
  sampleLabels(open({ items: NOWHERE, onObject }), raw);
  const found: FoundItems[] = [];
  const rows: string[] = [];
  /** An object's values are its rows only if what is beside them is no list of rows; the document itself comes last. */
  const rank = (path: string) =>
    path === DOCUMENT ? Infinity : 2 * path.split('/').length + (path.endsWith('*') ? 1 : 0);
  for (const items of [...paths].sort((a, b) => rank(a) - rank(b))) {
    if (items === DOCUMENT && found.length > 0) continue;
    if (found.some((list) => isAt(list.items, items))) continue;
    if (rows.some((outer) => isWithin(items, outer))) continue;
    const labels = sampleLabels(open({ items }), raw);
    if (items === DOCUMENT && labels.some((label) => LISTS.test(label))) continue;
    const reading = labels.length > 0 ? fitting(() => recognise(labels, mapping)) : undefined;
    if (reading) found.push({ items, labels, reading });
    if (reading || (!items.endsWith('*') && isRow(labels, knownNames(mapping)))) rows.push(items);
  }
  if (found.length < 2) return found[0];
  const names = found.map(({ items }) => excerpt(items)).join(', ');
  const detail = `Several lists of the JSON have an id and an image: ${names}; name one as the items of the mapping, with * for any key`;
  throw new FeedError('ambiguous', detail);
}

/** @throws FeedError empty, compressed, unknown-format, encoding */
function detectFormat(
  head: Buffer,
  options: FeedReadOptions,
  isKnown: (label: string) => boolean,
): Sniffed {
  const binary = nameBinary(head);
  if (binary !== undefined)
    throw new FeedError('compressed', `This is ${binary}; send the feed itself, or as gzip or zip`);
  const sniffed = sniffFeed(head, options, isKnown);
  if (options.format) return { ...sniffed, format: options.format };
  if (sniffed) return sniffed;
  if (head.toString('latin1').replace(BOM, '').trim() === '')
    throw new FeedError('empty', 'The feed is empty: it has spaces and line breaks only');
  const text = head.subarray(0, 1024).toString();
  const detail = /^\s*<(!doctype )?html/i.test(text)
    ? 'This is an HTML page, not a feed'
    : `This is not an XML, TSV, CSV, NDJSON or JSON feed with columns such as id and image_link; it begins with ${excerpt(text.trimStart())}`;
  throw new FeedError('unknown-format', detail);
}

/** A feed whose first bytes have been read. */
export interface OpenFeed {
  format: FeedFormat;
  encoding: Encoding;
  splitter: Splitter;
  reading: Reading;
  /** The path of its rows in XML or JSON. */
  items: string | undefined;
  /** The names in the header or the first rows. */
  labels: readonly string[];
}

/** Takes note of what the first bytes show. */
function noteDocument(
  { skip, headerLine = 1, lineEnd }: Pick<SplitterOptions, 'skip' | 'headerLine' | 'lineEnd'>,
  { name }: Encoding,
  { mediaType, takeNote = () => {} }: FeedReadOptions,
  raw: string,
): void {
  if (skip || headerLine > 1) takeNote('text-before', 1);
  if (lineEnd === '\r') takeNote('carriage-returns', 1);
  const isGiven = !/^utf-?8$/i.test(givenEncoding(raw, charsetOf(mediaType)) ?? 'utf-8');
  if (isGiven || name.startsWith('utf-')) return;
  takeNote(name === 'windows-1252' ? name : 'guessed-encoding', 1);
}

/**
 * Opens a feed: detects its format, recognises its columns and creates its splitter.
 * @param head its first bytes, some thousands if it has them
 * @throws FeedError
 */
export function openFeed(encoding: Encoding, head: Buffer, options: FeedReadOptions): OpenFeed {
  const { mapping = {}, limits = FEED_LIMITS, takeNote = () => {} } = options;
  const isKnown = knownNames(mapping);
  const sniffed = detectFormat(head, options, isKnown);
  // Decoding is stateful for UTF-16: the head is read once more by the splitter.
  const probe = detectEncoding(head, charsetOf(options.mediaType));
  const raw = probe.toRaw(head).replace(BOM, '');
  if (hidesBrackets(probe) && /json/.test(sniffed.format))
    throw new FeedError('encoding', `JSON in ${probe.name} is not supported; send UTF-8`);
  const isPath = mapping.items !== undefined && options.format !== 'ndjson';
  const format = (isPath && BY_PATH[sniffed.format]) || sniffed.format;
  const lineEnd = /^[^\r\n]*\r(?![\r\n])/.test(raw) ? '\r' : '\n';
  const shared = { ...sniffed, limits, lineEnd } as const;
  noteDocument(shared, encoding, options, raw);
  const open = (
    reading: Reading,
    labels: readonly string[],
    items = mapping.items,
    as = format,
  ): OpenFeed => {
    const { columnOf } = reading;
    const required = missingColumns(labels);
    const own = { encoding, columnOf, items, required, takeNote };
    const splitter = SPLITTERS[as]({ ...shared, ...own });
    return { format: as, encoding, splitter, reading, items, labels };
  };
  if (format === 'xml') {
    const { reading, labels, items } = findXmlItems(
      probe.decode(raw.slice(sniffed.skip)),
      mapping,
      takeNote,
    );
    return open(reading, labels, items);
  }
  const isColumn = (label: string) => (isKnown(label) ? ('title' as const) : undefined);
  const sampled = { encoding: probe, columnOf: isColumn, items: mapping.items, required: {} };
  const labels = sampleLabels(SPLITTERS[format]({ ...shared, ...sampled }), raw);
  const isLines = format === 'ndjson' && (options.format === format || isRow(labels, isKnown));
  if (/json/.test(format) && !isLines && mapping.items === undefined) {
    const list = (own: { items: string }) => SPLITTERS.json({ ...shared, ...sampled, ...own });
    const found = findJsonItems(list, raw, mapping);
    if (found?.items.endsWith('*')) takeNote('keyed-rows', 1);
    else if (found && format === 'ndjson') takeNote('wrapped-rows', 1);
    if (found) return open(found.reading, found.labels, found.items, 'json');
  }
  const reading = labels.length > 0 ? recognise(labels, mapping) : undefined;
  if (!reading && /^(rss|atom)$/.test(format)) {
    const found = fitting(() =>
      findXmlItems(probe.decode(raw.slice(sniffed.skip)), mapping, takeNote),
    );
    if (found) return open(found.reading, found.labels, found.items, 'xml');
  }
  return open(reading ?? { ...GOOGLE_READING, baseUrl: mapping.baseUrl }, labels);
}
