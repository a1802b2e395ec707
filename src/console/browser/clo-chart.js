import { h, svg } from './element.js';
import { formatNumber, regionName, say } from './outfit-texts.js';

/** @typedef {Record<string, {clo: number, target: number}>} Regions */

const HEIGHT = 216;
/** Few bars stand apart, so that the chart is not scaled down more than its words need. */
const [MIN_WIDTH, BAR_STEP] = [324, 84];
const BASELINE_Y = 168;
const TOP_Y = 8;
const BAR_WIDTH = 34;

/** @param {Regions} regions */
const widthOf = (regions) => Math.max(MIN_WIDTH, BAR_STEP * Object.keys(regions).length);

/** @param {string} locale @param {number} clo */
const format = (locale, clo) => formatNumber(locale, clo, 2);

/** @param {Regions} regions @param {string} locale */
export const cloSummary = (regions, locale) =>
  Object.entries(regions)
    .map(([region, { clo, target }]) =>
      say(locale, 'regionSummary', {
        region: regionName(locale, region),
        clo: format(locale, clo),
        target: format(locale, target),
      }),
    )
    .join(', ');

/**
 * Draws insulation worn and target by region as bars; heights are proportional to clo.
 * @param {Regions} regions
 * @param {string} locale
 */
function bars(regions, locale) {
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
      svg('text', { class: 'bar-name', x: middle, y: BASELINE_Y + 20 }, regionName(locale, region)),
      svg(
        'text',
        { x: middle, y: BASELINE_Y + 40 },
        `${format(locale, clo)} / ${format(locale, target)}`,
      ),
    ];
  });
}

/** @type {readonly ['region', 'wornClo', 'targetClo']} */
const COLUMNS = ['region', 'wornClo', 'targetClo'];

/** @param {Regions} regions @param {string} locale */
const table = (regions, locale) =>
  h(
    'table',
    {},
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        COLUMNS.map((name) => h('th', { scope: 'col' }, say(locale, name))),
      ),
    ),
    h(
      'tbody',
      {},
      Object.entries(regions).map(([region, { clo, target }]) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, regionName(locale, region)),
          h('td', {}, format(locale, clo)),
          h('td', {}, format(locale, target)),
        ),
      ),
    ),
  );

/** @param {Regions} regions @param {string} locale */
export const cloChart = (regions, locale) =>
  h(
    'figure',
    { class: 'clo-chart' },
    svg(
      'svg',
      {
        viewBox: `0 0 ${widthOf(regions)} ${HEIGHT}`,
        role: 'img',
        'aria-label': `${say(locale, 'regions')}: ${cloSummary(regions, locale)}`,
      },
      svg('path', { class: 'bar-baseline', d: `M0 ${BASELINE_Y}H${widthOf(regions)}` }),
      bars(regions, locale),
    ),
    h(
      'figcaption',
      { class: 'fine' },
      h('span', { class: 'key key-worn' }),
      `${say(locale, 'worn')} / `,
      h('span', { class: 'key key-target' }),
      say(locale, 'target'),
    ),
    h('details', {}, h('summary', {}, say(locale, 'asTable')), table(regions, locale)),
  );
