import type { Cell, RecordChunk } from './chunk.ts';
import { columnOf } from './columns.ts';
import type { FeedLimits } from './limits.ts';
import type { Reason } from './row-error.ts';

/** An image link that can be fetched, and where its row has it. */
export interface Link {
  url: string;
  cell: number;
  /** Which of the cell's values. */
  value: number;
  /** Which of the links in that value. */
  part: number;
}

/** The links of a row: `faults` stop the row, `notes` only tell of additional links left out. */
export interface RowLinks {
  image: Link | undefined;
  additional: readonly Link[];
  faults: readonly Reason[];
  notes: readonly Reason[];
}

/**
 * Additional links stand in one value with commas between, yet a link may have commas of its own: only
 * a comma before another scheme divides.
 */
const SEPARATOR = /(,)(?=\s*[a-z][a-z0-9+.-]*:\/\/)/i;

/** Links at the even places, the spaces around them included; the separators at the odd ones. */
const partsOf = (cell: Cell, value: string): string[] =>
  cell.name === 'additionalImageLink' && value.includes(',') ? value.split(SEPARATOR) : [value];

const canBeFetched = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);

/** Why a link cannot be fetched, as far as its letters show. */
export function linkError(url: string, column: string, maxChars: number): Reason | undefined {
  if (url.length > maxChars) {
    return { code: 'too-long', column, detail: `${column} is longer than ${maxChars} characters` };
  }
  if (canBeFetched(url) && !url.includes('\uFFFD')) return undefined;
  return { code: 'bad-url', column, detail: `${column} is not an http or https URL` };
}

/** Every link written in the row, fit or not, in the order of the feed. */
function* writtenLinks({ cells }: RecordChunk): Iterable<Link> {
  for (const [cell, each] of cells.entries()) {
    if (each.name !== 'imageLink' && each.name !== 'additionalImageLink') continue;
    for (const [value, text] of each.values.entries()) {
      const parts = partsOf(each, text);
      for (let part = 0; part < parts.length; part += 2) {
        const url = parts[part]!.trim();
        if (url) yield { url, cell, value, part };
      }
    }
  }
}

function missingImage({ cells }: RecordChunk): Reason {
  const stray = cells.find(({ label }) => columnOf(label.replace(/^.*:/, '')) === 'imageLink');
  const detail =
    stray && stray.name === undefined
      ? `The row has no image_link; its ${stray.label} is not in Google's namespace`
      : 'The row has no image_link';
  return { code: 'missing-image', detail };
}

/** The image links of a row. A second `image_link` counts as an additional one. */
export function linksOf(record: RecordChunk, limits: FeedLimits): RowLinks {
  const { cells } = record;
  const written = [...writtenLinks(record)];
  const image = written.find(({ cell }) => cells[cell]!.name === 'imageLink');
  const faults: Reason[] = image ? [] : [missingImage(record)];
  const additional: Link[] = [];
  const notes: Reason[] = [];
  for (const link of written) {
    const wrong = linkError(link.url, cells[link.cell]!.label, limits.maxUrlChars);
    if (wrong) (link === image ? faults : notes).push(wrong);
    else if (link !== image) additional.push(link);
  }
  const taken = additional.slice(0, limits.maxAdditionalImages);
  if (taken.length < additional.length) {
    const detail = `Only the first ${taken.length} additional images are taken`;
    notes.push({ code: 'too-many-images', detail });
  }
  return { image, additional: taken, faults, notes };
}

/** The values of the cells in which links are replaced: cell index -> all its values. */
export function replaceLinks(
  { cells }: RecordChunk,
  replaced: ReadonlyMap<Link, string>,
): Map<number, string[]> {
  const parts = new Map<number, string[][]>();
  for (const [link, url] of replaced) {
    const cell = cells[link.cell]!;
    const values = parts.get(link.cell) ?? cell.values.map((value) => partsOf(cell, value));
    parts.set(link.cell, values);
    const old = values[link.value]!;
    old[link.part] = old[link.part]!.replace(link.url, () => url);
  }
  return new Map([...parts].map(([cell, values]) => [cell, values.map((all) => all.join(''))]));
}
