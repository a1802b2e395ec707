import { callJson } from './api.js';
import { fill, h } from './element.js';
import { errorBox } from './error-box.js';

/** Groups per request. */
const PAGE_SIZE = 20;

/**
 * A row of a batch, or a picture of a feed's product.
 * @typedef {{row: number, customId: string, image?: number}} Picture
 *
 * Rows with the same picture: the first one, and the next 19 at most.
 * @typedef {Picture & {rows: number, duplicates: readonly (Picture & {similarity: number})[]}} Group
 */

/** @param {number} count @param {string} one @param {string} many */
const counted = (count, one, many) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** @param {Picture} picture */
const nameOf = ({ customId, image = 0 }) =>
  image > 0 ? `${customId}, image ${image + 1}` : customId;

/** @param {number} similarity 0 to 1; what is not exactly the same is not 100 % */
const percent = (similarity) => `${Math.floor(100 * similarity)} %`;

/** @param {Group} group */
function groupRow(group) {
  const { rows, duplicates } = group;
  const others = rows - 1 - duplicates.length;
  const repeats = duplicates.map((each) =>
    h('li', {}, nameOf(each), ' ', h('span', { class: 'fine' }, percent(each.similarity))),
  );
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, nameOf(group)),
    h(
      'td',
      {},
      h('ul', { class: 'repeats' }, repeats),
      others > 0 && h('p', { class: 'fine' }, `and ${counted(others, 'more', 'more')}`),
    ),
  );
}

/**
 * Creates a table of the rows of an ended batch or run that show the same picture.
 * @param {string} path of its duplicates
 * @param {{rows: number, groups: number}} counts
 */
export async function duplicateTable(path, { rows, groups }) {
  const body = h('tbody');
  const more = h('button', { class: 'quiet', type: 'button' }, 'Show more');
  const errorPlace = h('div');
  let next = `${path}?limit=${PAGE_SIZE}`;

  async function showNext() {
    const page = await callJson(next);
    body.append(...page.groups.map(groupRow));
    next = page.links?.next;
    more.hidden = !next;
  }
  more.addEventListener('click', async () => {
    more.disabled = true;
    await showNext().then(
      () => fill(errorPlace),
      (error) => fill(errorPlace, errorBox(error)),
    );
    more.disabled = false;
  });

  await showNext();
  const title = 'Repeated pictures';
  return h(
    'section',
    { class: 'stack duplicates' },
    h('h3', {}, title),
    h(
      'p',
      { class: 'fine' },
      `${counted(rows, 'picture repeats', 'pictures repeat')} an earlier one, in ${counted(groups, 'group', 'groups')}. ` +
        'Copies are found recompressed, resized, cropped a little or mirrored.',
    ),
    h(
      'div',
      { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': title },
      h(
        'table',
        {},
        h('caption', { class: 'sr-only' }, title),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ['Picture', 'Repeated by, and how alike'].map((name) =>
              h('th', { scope: 'col' }, name),
            ),
          ),
        ),
        body,
      ),
    ),
    more,
    errorPlace,
  );
}
