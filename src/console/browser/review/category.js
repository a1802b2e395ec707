import { readDictionary } from '../dictionary.js';
import { fill, h } from '../element.js';
import { say } from '../texts.js';

/** @typedef {import('./rows.js').Row} Row */

/** What the API calls a row that sells no garment. */
const NO_GARMENT = 'none';

/**
 * A field for what a row of a feed sells, if it is not what the service says; learnt for the shop's own category.
 * @param {(category: string) => void} onChoose an empty one takes the choice back
 */
export function categoryField(onChoose) {
  const select = h('select', { onchange: () => onChoose(select.value) });
  const learnt = h('span.fine');
  const node = h('label.field', { hidden: true }, say('review.category'), select, learnt);
  let chosen = '';

  /** @param {readonly {id: string, label: string}[]} categories */
  function list(categories) {
    fill(
      select,
      h('option', { value: '' }, say('review.categoryAsNamed')),
      categories.map(({ id, label }) => h('option', { value: id }, label)),
      h('option', { value: NO_GARMENT }, say('review.noGarment')),
    );
    select.value = chosen;
  }

  return {
    node,
    /** @param {Row} row */
    show({ shopPath, category = '' }) {
      node.hidden = shopPath === undefined;
      if (shopPath === undefined) return;
      chosen = category;
      select.value = category;
      learnt.textContent = say('review.learnt', { path: shopPath });
      // Without a list there is nothing to choose; the next row tries again.
      if (select.options.length === 0)
        readDictionary().then(
          (read) => list(read.categories),
          () => {},
        );
    },
  };
}
