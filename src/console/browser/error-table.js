import { h } from './element.js';
import { table, tableRow } from './table.js';
import { say } from './texts.js';

/** Rows shown; the downloads have all of them. */
const MAX_ROWS = 100;

const COLUMNS = [say('errors.line'), say('errors.name'), say('errors.reason')];

/** @typedef {import('./run-view.js').RunError} RunError */

/** @param {RunError[]} rows */
export const errorTable = (rows) => [
  rows.length > 0 &&
    table(
      say('errors.title'),
      COLUMNS,
      rows.map(({ line, name, reason }) => tableRow([line, name, reason])),
    ),
  rows.length === MAX_ROWS && h('p.fine', say('errors.first', { count: MAX_ROWS })),
];

/** @param {() => AsyncGenerator<RunError>} errors */
export async function readFirstErrors(errors) {
  const rows = [];
  for await (const error of errors()) {
    rows.push(error);
    if (rows.length === MAX_ROWS) break;
  }
  return rows;
}
