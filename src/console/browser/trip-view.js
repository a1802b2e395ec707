import { announce, byId, fill, h } from './element.js';
import { flatLay, imageUrl } from './figure.js';
import { listedReasons } from './outfit-explanation.js';
import { formatDate, formatNumber, say } from './texts.js';

/** @typedef {import('./wardrobe-store.js').Garment} Garment */

/** @param {string} date */
export const dateLabel = (date) =>
  formatDate(`${date}T12:00`, { weekday: 'short', day: 'numeric', month: 'short' });

/** @param {any} outfit */
const whyText = ({ explanation }) =>
  h('details.fine', h('summary', say('week.why')), h('ul.reasons', listedReasons(explanation)));

/**
 * @param {{date: string, outfit: any}} day
 * @param {ReadonlyMap<string, Garment>} garments
 */
const outfitOfDay = ({ date, outfit }, garments) =>
  h(
    'li.week-outfit.stack',
    { 'data-date': date },
    h('b', dateLabel(date)),
    outfit ? flatLay(outfit, garments) : h('p.fine', say('week.noOutfit')),
    outfit && h('span', outfit.name),
    outfit && h('span.tag', say('outfits.score', { score: Math.round(outfit.score) })),
    outfit && whyText(outfit),
  );

/** @param {number} gap points that another choice could gain a day, at most */
const gapText = (gap) =>
  gap === 0 ? say('week.isBest') : say('week.couldBeBetter', { points: formatNumber(gap, 1) });

/** @param {Garment} garment */
const takenItem = (garment) =>
  h('li', h('img', { src: imageUrl(garment), alt: '' }), h('span', garment.label));

/**
 * Shows what to wear each day and what to take along.
 * @param {any} trip the response
 * @param {ReadonlyMap<string, Garment>} garments
 */
export function showTrip({ itemIds, days, gap, diagnostics }, garments) {
  const taken = itemIds.flatMap((/** @type {string} */ id) => garments.get(id) ?? []);
  const count = taken.length;
  fill(
    byId('week'),
    h(
      'ul.week-strip',
      { 'aria-label': say('week.dayByDay') },
      days.map((/** @type {any} */ day) => outfitOfDay(day, garments)),
    ),
    h('h3', say('week.toTake', { count })),
    h('ul.week-items', taken.map(takenItem)),
    h('p.fine', gapText(gap)),
    diagnostics.map((/** @type {any} */ { detail }) => h('p.warning', detail)),
  );
  announce(say('week.planned', { days: days.length, count }));
}
