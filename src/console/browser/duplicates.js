import { callJson } from './api.js';
import { h } from './element.js';
import { attempt } from './error-box.js';
import { table, tableRow } from './table.js';
import { formatPercent, say } from './texts.js';

/** Groups per request. */
const PAGE_SIZE = 20;

/**
 * A row of a batch, or a picture of a feed's product.
 * @typedef {{row: number, customId: string, image?: number}} Picture
 *
 * Rows with the same picture: the first one, and the next 19 at most.
 * @typedef {Picture & {rows: number, duplicates: readonly (Picture & {similarity: number})[]}} Group
 */

/** @param {Picture} picture */
const nameOf = ({ customId, image = 0 }) =>
  image > 0 ? say('duplicates.image', { name: customId, image: image + 1 }) : customId;

/** @param {Group} group */
function groupRow(group) {
  const { rows, duplicates } = group;
  const others = rows - 1 - duplicates.length;
  const repeats = duplicates.map((each) =>
    h('li', nameOf(each), ' ', h('span.fine', formatPercent(each.similarity))),
  );
  return tableRow([
    nameOf(group),
    [
      h('ul.repeats', repeats),
      others > 0 && h('p.fine', say('duplicates.others', { count: others })),
    ],
  ]);
}

/**
 * Creates a table of the rows of an ended batch or run that show the same picture.
 * @param {string} path of its duplicates
 * @param {{rows: number, groups: number}} counts
 */
export async function duplicateTable(path, { rows, groups }) {
  const title = say('duplicates.title');
  const list = table(title, [say('duplicates.picture'), say('duplicates.repeats')], []);
  const more = h('button.quiet', say('list.more'));
  const errorPlace = h('div');
  let next = `${path}?limit=${PAGE_SIZE}`;

  async function showNext() {
    const page = await callJson(next);
    list.querySelector('tbody')?.append(...page.groups.map(groupRow));
    next = page.links?.next;
    more.hidden = !next;
  }
  more.addEventListener('click', async () => {
    more.disabled = true;
    await attempt(errorPlace, showNext);
    more.disabled = false;
  });

  await showNext();
  return h(
    'section.stack.duplicates',
    h('h3', title),
    h(
      'p.fine',
      say('duplicates.found', { count: rows, groups: say('duplicates.groups', { count: groups }) }),
    ),
    list,
    more,
    errorPlace,
  );
}
