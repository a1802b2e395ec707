import { h, svg } from './element.js';
import { table, tableRow } from './table.js';
import { formatNumber, say, textOf } from './texts.js';

/** @typedef {Record<string, {clo: number, target: number}>} Regions */

const HEIGHT = 216;
/** Few bars stand apart, so that the chart is not scaled down more than its words need. */
const [MIN_WIDTH, BAR_STEP] = [324, 84];
const BASELINE_Y = 168;
const TOP_Y = 8;
const BAR_WIDTH = 34;

/** @param {Regions} regions */
const widthOf = (regions) => Math.max(MIN_WIDTH, BAR_STEP * Object.keys(regions).length);

/** @param {number} clo */
const format = (clo) => formatNumber(clo, 2);

/** The name of a region of the targets, short enough for a bar. @param {string} region */
const regionName = (region) => textOf(`region.${region}`) ?? region;

/** @param {Regions} regions */
export const cloSummary = (regions) =>
  Object.entries(regions)
    .map(([region, { clo, target }]) =>
      say('warmth.summary', {
        region: regionName(region),
        clo: format(clo),
        target: format(target),
      }),
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
  const step = widthOf(regions) / rows.length;
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
      svg('text', { class: 'bar-name', x: middle, y: BASELINE_Y + 20 }, regionName(region)),
      svg('text', { x: middle, y: BASELINE_Y + 40 }, `${format(clo)} / ${format(target)}`),
    ];
  });
}

const COLUMNS = [say('warmth.region'), say('warmth.wornClo'), say('warmth.targetClo')];

/** @param {Regions} regions */
export const cloChart = (regions) =>
  h(
    'figure.clo-chart',
    svg(
      'svg',
      {
        viewBox: `0 0 ${widthOf(regions)} ${HEIGHT}`,
        role: 'img',
        'aria-label': `${say('warmth.title')}: ${cloSummary(regions)}`,
      },
      svg('path', { class: 'bar-baseline', d: `M0 ${BASELINE_Y}H${widthOf(regions)}` }),
      bars(regions),
    ),
    h(
      'figcaption.fine',
      h('span.key.key-worn'),
      `${say('warmth.worn')} / `,
      h('span.key.key-target'),
      say('warmth.target'),
    ),
    h(
      'details',
      h('summary', say('warmth.asTable')),
      table(
        say('warmth.title'),
        COLUMNS,
        Object.entries(regions).map(([region, { clo, target }]) =>
          tableRow([regionName(region), format(clo), format(target)]),
        ),
      ),
    ),
  );
