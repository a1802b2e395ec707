import { h } from './element.js';

/** So many are shown; all of them are in the downloads. */
const MOST = 100;

/** @typedef {import('./run-view.js').RunFault} RunFault */

/** @param {RunFault[]} rows */
export const faultTable = (rows) =>
  rows.length > 0 &&
  h(
    'div',
    { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'What went wrong' },
    h(
      'table',
      {},
      h('caption', { class: 'sr-only' }, 'What went wrong'),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ['Line', 'Name', 'Why'].map((name) => h('th', { scope: 'col' }, name)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map(({ where, name, reason }) =>
          h(
            'tr',
            {},
            [where, name, reason].map((cell) => h('td', {}, cell)),
          ),
        ),
      ),
    ),
    rows.length === MOST && h('p', { class: 'fine' }, `The first ${MOST}; the report has all.`),
  );

/** @param {() => AsyncGenerator<RunFault>} faults */
export async function firstFaults(faults) {
  const rows = [];
  for await (const fault of faults()) {
    rows.push(fault);
    if (rows.length === MOST) break;
  }
  return rows;
}
