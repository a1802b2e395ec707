import { drawn, h } from './element.js';

/** @typedef {Record<string, {clo: number, target: number}>} Regions */

/** @type {Readonly<Record<string, string>>} */
const NAMES = {
  top: 'Top',
  bottom: 'Legs',
  dress: 'Dress',
  shoes: 'Feet',
  outerwear: 'Outer',
  accessory: 'Extras',
};

const [WIDTH, HEIGHT] = [420, 216];
const FLOOR = 168;
const CEILING = 8;
const BAR = 34;

/** @param {number} clo */
const words = (clo) => clo.toFixed(2);

/** @param {Regions} regions */
export const cloSummary = (regions) =>
  Object.entries(regions)
    .map(
      ([region, { clo, target }]) =>
        `${NAMES[region] ?? region} ${words(clo)} of ${words(target)} clo`,
    )
    .join(', ');

/**
 * Insulation worn by region against what is wanted, as bars; heights are proportional to clo.
 * @param {Regions} regions
 */
function bars(regions) {
  const rows = Object.entries(regions);
  const most = Math.max(0.3, ...rows.flatMap(([, { clo, target }]) => [clo, target]));
  const heightOf = (/** @type {number} */ clo) => (clo / most) * (FLOOR - CEILING);
  const step = WIDTH / rows.length;
  return rows.flatMap(([region, { clo, target }], i) => {
    const middle = step * (i + 0.5);
    const [worn, wanted] = [heightOf(clo), heightOf(target)];
    return [
      drawn('rect', {
        ...{ class: 'bar-wanted', x: middle - BAR / 2 - 6, width: BAR + 12, rx: 5 },
        ...{ y: FLOOR - wanted, height: wanted },
      }),
      drawn('rect', {
        ...{ class: 'bar-worn', 'data-region': region, 'data-clo': clo },
        ...{ x: middle - BAR / 2, width: BAR, rx: 4, y: FLOOR - worn, height: worn },
      }),
      drawn('path', {
        ...{ class: 'bar-target', 'data-region': region, 'data-target': target },
        d: `M${middle - BAR / 2 - 11} ${FLOOR - wanted}h${BAR + 22}`,
      }),
      drawn('text', { class: 'bar-name', x: middle, y: FLOOR + 20 }, NAMES[region] ?? region),
      drawn('text', { x: middle, y: FLOOR + 40 }, `${words(clo)} / ${words(target)}`),
    ];
  });
}

/** @param {Regions} regions */
const table = (regions) =>
  h(
    'table',
    {},
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ['Region', 'Worn, clo', 'Wanted, clo'].map((name) => h('th', { scope: 'col' }, name)),
      ),
    ),
    h(
      'tbody',
      {},
      Object.entries(regions).map(([region, { clo, target }]) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, NAMES[region] ?? region),
          h('td', {}, words(clo)),
          h('td', {}, words(target)),
        ),
      ),
    ),
  );

/** @param {Regions} regions */
export const cloChart = (regions) =>
  h(
    'figure',
    { class: 'clo-chart' },
    drawn(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: 'img',
        'aria-label': `Warmth by region: ${cloSummary(regions)}`,
      },
      drawn('path', { class: 'bar-floor', d: `M0 ${FLOOR}H${WIDTH}` }),
      bars(regions),
    ),
    h(
      'figcaption',
      { class: 'fine' },
      h('span', { class: 'key key-worn' }),
      'worn / ',
      h('span', { class: 'key key-wanted' }),
      'wanted, in clo',
    ),
    h('details', {}, h('summary', {}, 'As a table'), table(regions)),
  );
