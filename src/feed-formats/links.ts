import type { Cell, RecordChunk } from './chunk.ts';
import { columnOf } from './columns.ts';
import type { FeedLimits } from './limits.ts';
import type { Reason } from './row-error.ts';

/** A fetchable image link and its place in the row. */
export interface Link {
  url: string;
  cell: number;
  /** Index of the value in the cell. */
  value: number;
  /** Index of the link in the value; odd indices are separators. */
  part: number;
}

/** The links of a row: `errors` invalidate it, `notes` report additional links that were dropped. */
interface RowLinks {
  image: Link | undefined;
  additional: readonly Link[];
  errors: readonly Reason[];
  notes: readonly Reason[];
}

/**
 * Additional links are separated by commas in one value, but a link may contain commas itself: only a comma
 * before another scheme separates.
 */
const SEPARATOR = /(,)(?=\s*[a-z][a-z0-9+.-]*:\/\/)/i;

/** Returns links at the even indices, including spaces around them, and separators at the odd ones. */
const splitLinks = (cell: Cell, value: string): string[] =>
  cell.name === 'additionalImageLink' && value.includes(',') ? value.split(SEPARATOR) : [value];

const canBeFetched = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);

/** Returns why a link is invalid, by its syntax alone; undefined if it is valid. */
export function linkError(url: string, column: string, maxChars: number): Reason | undefined {
  if (url.length > maxChars) {
    return { code: 'too-long', column, detail: `${column} is longer than ${maxChars} characters` };
  }
  if (canBeFetched(url) && !url.includes('\uFFFD')) return undefined;
  return { code: 'bad-url', column, detail: `${column} is not an http or https URL` };
}

/** Links that are looked at in one value. */
const MAX_LINKS = 1000;

/** Yields the links of the row, valid or not, in the order of the feed. */
function* writtenLinks({ cells }: RecordChunk): Iterable<Link> {
  for (const [cell, each] of cells.entries()) {
    if (each.name !== 'imageLink' && each.name !== 'additionalImageLink') continue;
    for (const [value, text] of each.values.entries()) {
      const parts = splitLinks(each, text);
      for (let part = 0; part < Math.min(parts.length, 2 * MAX_LINKS); part += 2) {
        const url = parts[part]!.trim();
        if (url) yield { url, cell, value, part };
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

/** Returns the image links of a row. A second `image_link` counts as an additional one. */
export function readLinks(record: RecordChunk, limits: FeedLimits): RowLinks {
  const { cells } = record;
  const written = [...writtenLinks(record)];
  const image = written.find(({ cell }) => cells[cell]!.name === 'imageLink');
  const errors: Reason[] = image ? [] : [missingImage(record)];
  const additional: Link[] = [];
  const notes: Reason[] = [];
  for (const link of written) {
    const error = linkError(link.url, cells[link.cell]!.label, limits.maxUrlChars);
    if (error) (link === image ? errors : notes).push(error);
    else if (link !== image) additional.push(link);
  }
  const taken = additional.slice(0, limits.maxAdditionalImages);
  if (taken.length < additional.length) {
    const detail = `Only the first ${taken.length} additional images are used`;
    notes.push({ code: 'too-many-images', detail });
  }
  return { image, additional: taken, errors, notes };
}

/** Returns the new values of the cells in which links are replaced: cell index -> all its values. */
export function replaceLinks(
  { cells }: RecordChunk,
  replaced: ReadonlyMap<Link, string>,
): Map<number, string[]> {
  const parts = new Map<number, string[][]>();
  for (const [link, url] of replaced) {
    const cell = cells[link.cell]!;
    const values = parts.get(link.cell) ?? cell.values.map((value) => splitLinks(cell, value));
    parts.set(link.cell, values);
    const old = values[link.value]!;
    old[link.part] = old[link.part]!.replace(link.url, () => url);
  }
  return new Map([...parts].map(([cell, values]) => [cell, values.map((all) => all.join(''))]));
}
