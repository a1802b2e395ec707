import type { Cell, FeedLimits, RecordChunk } from './chunk.ts';
import { columnOf } from './columns.ts';
import type { Reason, TakeNote } from './feed-error.ts';
import type { Reading } from './mapping.ts';

/** A fetchable image link and its place in the row. */
export interface Link {
  record: RecordChunk;
  url: string;
  /** As the feed writes it: without a protocol or relative, if it is. */
  written: string;
  cell: number;
  /** Index of the value in the cell. */
  value: number;
  /** Index of the link in the value; odd indices are separators. */
  part: number;
}

/** The image links of a product, each with all its places; `errors` invalidate it, `notes` report dropped ones. */
interface ProductLinks {
  images: readonly (readonly [Link, ...Link[]])[];
  errors: readonly Reason[];
  notes: readonly Reason[];
}

/** How links are read. */
type LinkReading = Pick<Reading, 'separator' | 'baseUrl'>;

/** What links begin with; slashes may be escaped as in JSON. */
const ADDRESS = String.raw`(?=\s{0,20}(?:[a-z][a-z0-9+.-]{0,20}:)?\\?\/\\?\/)`;
/**
 * Links are separated in one value by commas, semicolons or spaces, or by what no address has, as bars, ">" or a break
 * of HTML; a link may contain some of these itself: only what is before another address separates.
 */
const MARKS = String.raw`<br\s?\/?>|\\[nrt]|[,;|^>~#]|:::`;
const SEPARATOR = new RegExp(String.raw`(${MARKS}|\s\/\s|\s)${ADDRESS}`, 'i');
/** A space does not separate in the column of the one image: it may be within its address. */
const IMAGE_SEPARATOR = new RegExp(`(${MARKS})${ADDRESS}`, 'i');
const SEPARATING = /[\s,;|^>~#\u200b-\u200f\u2060]/;
const CAN_SEPARATE = /[\s,;|^>~#\\\u200b-\u200f\u2060]|:::/;

/** What is before the first link of a list or formula: `["`, `{`, `[{"url":"`, `=IMAGE("`. */
const OPENING = new RegExp(`^[^/]{0,200}?(["'([{<])${ADDRESS}`, 'i');
const quotedList = (quote: string): RegExp =>
  new RegExp(`(^[^/]*?${quote}${ADDRESS}|${quote}[^]*?${quote}${ADDRESS}|${quote}[^]*$)`, 'i');
const BRACKETED_LIST = new RegExp(
  String.raw`(^[^/]*?[([{<]${ADDRESS}|[,;|]${ADDRESS}|[)\]}>]\s{0,20}$)`,
  'i',
);
/** What is around and between the links, by what is before the first one. */
const LISTS: Readonly<Record<string, RegExp>> = { '"': quotedList('"'), "'": quotedList("'") };

/** Whether text begins with an address. */
export const isAddress = (text: string): boolean => /^\s*(?:https?:)?\/\//i.test(text);

/** Splits at a separator, but for where it is within an address: what follows begins neither another nor a path. */
function splitAt(separator: string, value: string): string[] {
  const parts: string[] = [];
  for (const part of value.split(separator)) {
    const before = parts.at(-1);
    const isWithin = before !== undefined && isAddress(before) && /^\s*[^\s/]/.test(part);
    if (before === undefined) parts.push(part);
    else if (isWithin && !isAddress(part)) parts[parts.length - 1] = before + separator + part;
    else parts.push(separator, part);
  }
  return parts;
}

/** Returns links at the even indices, including spaces around them, and separators at the odd ones. */
function splitLinks(cell: Cell, value: string, { separator }: LinkReading): string[] {
  const begins = value[0] === 'h' || isAddress(value);
  const opening = begins ? undefined : OPENING.exec(value)?.[1];
  if (opening !== undefined) return value.split(LISTS[opening] ?? BRACKETED_LIST);
  if (!CAN_SEPARATE.test(value) && separator === undefined) return [value];
  if (separator !== undefined) return splitAt(separator, value);
  return value.split(cell.name === 'imageLink' ? IMAGE_SEPARATOR : SEPARATOR);
}

const canBeFetched = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);

const badUrl = (column: string, detail: string): Reason => ({
  code: 'bad-url',
  column,
  detail: `${column} ${detail}`,
});

/** A path: `/a.jpg`, `../a`, `catalog/a.jpg`. */
const RELATIVE = /^(?:\.{0,2}\/[^/]|[^:?#]+\.(?:jpe?g|png|webp|gif)$)/i;

/** Returns why a link is invalid, by its syntax alone; undefined if it is valid. */
export function linkError(url: string, column: string, maxChars: number): Reason | undefined {
  if (url.length > maxChars) {
    return { code: 'too-long', column, detail: `${column} is longer than ${maxChars} characters` };
  }
  if (!canBeFetched(url) || url.includes('\uFFFD')) {
    const advice = RELATIVE.test(url) ? '; give the mapping its baseUrl' : '';
    return badUrl(column, `is not an http or https URL${advice}`);
  }
  if (url.includes(' ') && /\s\S*:\/\//.test(url))
    return badUrl(column, 'has two links with a space between them');
  if (!url.includes('@') || !/^https?:\/\/[^/?#]*@/i.test(url)) return undefined;
  return badUrl(column, 'carries a user name or password; remove it, and give it with the feed');
}

/** Links that are looked at in one value. */
const MAX_LINKS = 1000;

/** Returns a link without spaces around it and separators after it, which are nothing. */
function trimLink(part: string): string {
  let end = part.length;
  while (end > 0 && SEPARATING.test(part[end - 1]!)) end -= 1;
  return part.slice(0, end).replace(/^[\s\u200b-\u200f\u2060]+/, '');
}

/** Slashes escaped as in JSON. */
const ESCAPED = /^https?:\\\//i;

/** Returns the address of a link: https without a protocol, behind the base address if it is relative. */
function addressOf(written: string, { baseUrl }: LinkReading): string {
  if (ESCAPED.test(written)) return written.replaceAll('\\/', '/');
  if (written[0] === 'h' && baseUrl === undefined) return written;
  if (/^\/\/[^/]/.test(written)) return `https:${written}`;
  if (baseUrl === undefined || /^[a-z][a-z0-9+.-]*:/i.test(written)) return written;
  return `${baseUrl.replace(/\/+$/, '')}/${written.replace(/^\/+/, '')}`;
}

/** Adds the links of a row, valid or not, in the order of the feed. */
function addLinks(links: Link[], record: RecordChunk, reading: LinkReading): void {
  const { cells } = record;
  for (let cell = 0; cell < cells.length; cell++) {
    const each = cells[cell]!;
    if (each.name !== 'imageLink' && each.name !== 'additionalImageLink') continue;
    for (let value = 0; value < each.values.length; value++) {
      const parts = splitLinks(each, each.values[value]!, reading);
      for (let part = 0; part < Math.min(parts.length, 2 * MAX_LINKS); part += 2) {
        const written = trimLink(parts[part]!);
        if (!written) continue;
        links.push({ record, url: addressOf(written, reading), written, cell, value, part });
      }
    }
  }
}

function missingImage({ cells }: RecordChunk): Reason {
  const foreign = cells.find(({ label }) => columnOf(label.replace(/^.*:/, '')) === 'imageLink');
  const detail =
    foreign && foreign.name === undefined
      ? `The row has no image_link; its ${foreign.label} is not in Google's namespace`
      : 'The row has no image_link';
  return { code: 'missing-image', detail };
}

const cellOfLink = ({ record, cell }: Link): Cell => record.cells[cell]!;

/** Takes note of how the links are written. */
function noteLinks(written: readonly Link[], takeNote: TakeNote): void {
  for (const link of written) {
    if (link.part > 0 && cellOfLink(link).name === 'imageLink')
      takeNote('link-lists', link.record.line);
    if (link.written.startsWith('//')) takeNote('protocol-less-links', link.record.line);
  }
}

/**
 * Returns the image links of a product. A second `image_link` counts as an additional one, and a link that repeats
 * another is no further image.
 */
export function readLinks(
  records: readonly RecordChunk[],
  limits: FeedLimits,
  reading: LinkReading,
  takeNote: TakeNote,
): ProductLinks {
  const written: Link[] = [];
  for (const record of records) addLinks(written, record, reading);
  noteLinks(written, takeNote);
  const first = written.find((link) => cellOfLink(link).name === 'imageLink');
  const isOrdered = first === undefined || first === written[0];
  const inOrder = isOrdered ? written : [first, ...written.filter((each) => each !== first)];
  const errors: Reason[] = first ? [] : [missingImage(records[0]!)];
  const images = new Map<string, [Link, ...Link[]]>();
  const notes: Reason[] = [];
  for (const link of inOrder) {
    const error = linkError(link.url, cellOfLink(link).label, limits.maxUrlChars);
    const same = images.get(link.url);
    if (error) (link === first ? errors : notes).push(error);
    else if (same) same.push(link);
    else images.set(link.url, [link]);
  }
  const most = limits.maxAdditionalImages + 1;
  if (images.size > most) {
    const detail = `Only the first ${most - 1} additional images are used`;
    notes.push({ code: 'too-many-images', detail });
  }
  return { images: [...images.values()].slice(0, most), errors, notes };
}

/** Returns the new values of the cells of a row in which links are replaced: cell index -> all its values. */
export function replaceLinks(
  { cells }: RecordChunk,
  replaced: ReadonlyMap<Link, string>,
  reading: LinkReading,
): Map<number, string[]> {
  const parts = new Map<number, string[][]>();
  for (const [link, url] of replaced) {
    const cell = cells[link.cell]!;
    const values =
      parts.get(link.cell) ?? cell.values.map((value) => splitLinks(cell, value, reading));
    parts.set(link.cell, values);
    const old = values[link.value]!;
    old[link.part] = old[link.part]!.replace(link.written, () => url);
  }
  return new Map([...parts].map(([cell, values]) => [cell, values.map((all) => all.join(''))]));
}
