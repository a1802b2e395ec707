import { callJson } from '../api.js';

/**
 * @typedef {'pending' | 'approved' | 'rejected'} Decision
 * @typedef {Record<'needed' | Decision, number>} Counts
 *
 * A row of a review, as the API has it.
 * @typedef {object} Row
 * @property {number} row
 * @property {string} customId
 * @property {string} [title]
 * @property {string} [imageUrl]
 * @property {number} confidence
 * @property {boolean} needed
 * @property {string[]} reasons
 * @property {Decision} decision
 * @property {number} revision
 * @property {'row' | 'bulk' | 'earlier-run'} [source]
 * @property {string} [decidedAt]
 * @property {{keyId: string}} [decidedBy]
 * @property {string} [note]
 * @property {string} [category] what it sells, as somebody decided
 * @property {string} [shopPath] of feeds: its category in the shop
 * @property {number} [refinements] how often its cut-out was mended
 * @property {true} [needsAlpha] its cut-out does not show the alpha of the whole photo
 * @property {{sha256: string, url?: string}} cutout
 * @property {{self: string}} links
 * @property {boolean} [isSaving] a decision is on its way
 */

/** Rows of a page, the most that the API returns. */
const PAGE_ROWS = 100;
/** The list of the API ends there; all rows are counted. */
const MAX_LISTED = 50_000;

/**
 * The rows of a review, read page by page when they are needed. The whole list has a place for each row, so any part of
 * it can be read at once; a filtered one is read from its beginning.
 * @param {import('./address.js').Address} address
 * @param {{onChange: () => void, onError: (error: unknown) => void}} listeners
 */
export function createRows({ path, reason, decision, all }, { onChange, onError }) {
  const hasPlaces = !all && !reason && !decision;
  /** @type {(Row | undefined)[]} */
  const rows = [];
  /** @type {Map<number, Promise<void>>} */
  const pages = new Map();
  /** @type {Counts | undefined} */
  let counts;
  let length = 0;
  /** @type {number | undefined} where the next page of a filtered list begins */
  let next = 0;
  /** @type {Promise<void> | undefined} */
  let reading;

  /** @param {number} cursor @returns {Promise<{review: Counts, rows: Row[], links?: {next: string}}>} */
  const readPage = (cursor) => {
    const query = new URLSearchParams({
      limit: String(PAGE_ROWS),
      cursor: String(cursor),
      needed: String(!all),
      ...(reason && { reason }),
      ...(decision && { decision }),
    });
    return callJson(`${path}/review?${query}`);
  };

  /** @param {number} page */
  async function readPlaces(page) {
    const first = page * PAGE_ROWS;
    const { review, rows: found, links } = await readPage(first);
    counts ??= review;
    for (const [i, row] of found.entries()) rows[first + i] ??= row;
    const end = first + found.length;
    length = links ? Math.max(Math.min(review.needed, MAX_LISTED), end) : end;
  }

  async function readNext() {
    const { review, rows: found, links } = await readPage(next ?? 0);
    counts ??= review;
    rows.push(...found);
    length = rows.length;
    const cursor = links && new URLSearchParams(links.next.split('?')[1]).get('cursor');
    next = cursor ? Number(cursor) : undefined;
  }

  /** @param {number} to */
  async function readUntil(to) {
    while (next !== undefined && rows.length < to) {
      await readNext();
      onChange();
    }
  }

  return {
    /** Rows that are known to be in the list. */
    length: () => length,
    /** Whether more may follow those. */
    hasMore: () => !hasPlaces && next !== undefined,
    counts: () => counts,
    /** @param {number} index */
    get: (index) => rows[index],

    /** @param {number} index @param {{[K in keyof Row]?: Row[K] | undefined}} fields */
    change(index, fields) {
      const row = rows[index];
      if (row) rows[index] = /** @type {Row} */ ({ ...row, ...fields });
      onChange();
    },

    /** @param {Decision} from @param {Decision} to */
    count(from, to) {
      if (!counts) return;
      counts = { ...counts, [from]: counts[from] - 1 };
      counts = { ...counts, [to]: counts[to] + 1 };
    },

    async readCounts() {
      const { review } = await callJson(`${path}/review/summary`);
      counts = review;
      onChange();
    },

    /**
     * Reads the rows from a place to another, unless they are read.
     * @param {number} from @param {number} to exclusive
     */
    async ensure(from, to) {
      if (!hasPlaces) {
        reading ??= readUntil(to)
          .catch(onError)
          .finally(() => {
            reading = undefined;
          });
        return reading;
      }
      const last = Math.floor((Math.max(to, from + 1) - 1) / PAGE_ROWS);
      const wanted = [];
      for (let page = Math.floor(from / PAGE_ROWS); page <= last; page++) {
        if (page > 0 && length > 0 && page * PAGE_ROWS >= length) break;
        const known =
          pages.get(page) ??
          readPlaces(page).then(onChange, (error) => {
            pages.delete(page);
            onError(error);
          });
        pages.set(page, known);
        wanted.push(known);
      }
      await Promise.all(wanted);
    },
  };
}

/** @typedef {ReturnType<typeof createRows>} Rows */
