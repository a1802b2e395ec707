import { h } from './element.js';

/** @typedef {import('./element.js').Child | import('./element.js').Child[]} Cell */

/** A row of a table; its first cell names it. @param {readonly Cell[]} cells */
export const tableRow = ([first, ...others]) =>
  h(
    'tr',
    h('th', { scope: 'row' }, first),
    others.map((cell) => h('td', cell)),
  );

/**
 * A table that scrolls by itself, by keyboard too, where it has no room.
 * @param {string} title @param {readonly string[]} columns @param {readonly Node[]} rows
 */
export const table = (title, columns, rows) =>
  h(
    'div.table-scroll',
    { tabindex: 0, role: 'region', 'aria-label': title },
    h(
      'table',
      h('caption.sr-only', title),
      h(
        'thead',
        h(
          'tr',
          columns.map((name) => h('th', { scope: 'col' }, name)),
        ),
      ),
      h('tbody', ...rows),
    ),
  );
