import { h, svg } from './element.js';

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
const BASELINE_Y = 168;
const TOP_Y = 8;
const BAR_WIDTH = 34;

/** @param {number} clo */
const format = (clo) => clo.toFixed(2);

/** @param {Regions} regions */
export const cloSummary = (regions) =>
  Object.entries(regions)
    .map(
      ([region, { clo, target }]) =>
        `${NAMES[region] ?? region} ${format(clo)} of ${format(target)} clo`,
    )
    .join(', ');

/**
 * Draws insulation worn and target by region as bars; heights are proportional to clo.
 * @param {Regions} regions
 */
function bars(regions) {
  const rows = Object.entries(regions);
  const max = Math.max(0.3, ...rows.flatMap(([, { clo, target }]) => [clo, target]));
  const heightOf = (/** @type {number} */ clo) => (clo / max) * (BASELINE_Y - TOP_Y);
  const step = WIDTH / rows.length;
  return rows.flatMap(([region, { clo, target }], i) => {
    const middle = step * (i + 0.5);
    const [wornHeight, targetHeight] = [heightOf(clo), heightOf(target)];
    const left = middle - BAR_WIDTH / 2;
    return [
      svg('rect', {
        class: 'bar-target',
        x: left - 6,
        y: BASELINE_Y - targetHeight,
        width: BAR_WIDTH + 12,
        height: targetHeight,
        rx: 5,
      }),
      svg('rect', {
        class: 'bar-worn',
        'data-region': region,
        'data-clo': clo,
        x: left,
        y: BASELINE_Y - wornHeight,
        width: BAR_WIDTH,
        height: wornHeight,
        rx: 4,
      }),
      svg('path', {
        class: 'bar-target-line',
        'data-region': region,
        'data-target': target,
        d: `M${left - 11} ${BASELINE_Y - targetHeight}h${BAR_WIDTH + 22}`,
      }),
      svg('text', { class: 'bar-name', x: middle, y: BASELINE_Y + 20 }, NAMES[region] ?? region),
      svg('text', { x: middle, y: BASELINE_Y + 40 }, `${format(clo)} / ${format(target)}`),
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
        ['Region', 'Worn, clo', 'Target, clo'].map((name) => h('th', { scope: 'col' }, name)),
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
          h('td', {}, format(clo)),
          h('td', {}, format(target)),
        ),
      ),
    ),
  );

/** @param {Regions} regions */
export const cloChart = (regions) =>
  h(
    'figure',
    { class: 'clo-chart' },
    svg(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: 'img',
        'aria-label': `Warmth by region: ${cloSummary(regions)}`,
      },
      svg('path', { class: 'bar-baseline', d: `M0 ${BASELINE_Y}H${WIDTH}` }),
      bars(regions),
    ),
    h(
      'figcaption',
      { class: 'fine' },
      h('span', { class: 'key key-worn' }),
      'worn / ',
      h('span', { class: 'key key-target' }),
      'target, in clo',
    ),
    h('details', {}, h('summary', {}, 'Show as a table'), table(regions)),
  );
