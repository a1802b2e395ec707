import { announce, byId, fill, h } from './element.js';
import { flatLay, imageUrl } from './figure.js';
import { listedReasons } from './outfit-explanation.js';
import { formatNumber, say } from './outfit-texts.js';

/** @typedef {import('./wardrobe-store.js').Garment} Garment */

/** @param {string} date @param {string} locale */
export const dateLabel = (date, locale) =>
  new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' }).format(
    new Date(`${date}T12:00`),
  );

/** @param {any} outfit @param {string} locale */
const whyText = ({ explanation }, locale) =>
  h(
    'details',
    { class: 'fine' },
    h('summary', {}, say(locale, 'why')),
    h('ul', { class: 'reasons' }, listedReasons(explanation)),
  );

/**
 * @param {{date: string, outfit: any}} day
 * @param {string} locale
 * @param {ReadonlyMap<string, Garment>} garments
 */
const outfitOfDay = ({ date, outfit }, locale, garments) =>
  h(
    'li',
    { class: 'week-outfit stack', 'data-date': date },
    h('b', {}, dateLabel(date, locale)),
    outfit ? flatLay(outfit, garments) : h('p', { class: 'fine' }, say(locale, 'noOutfit')),
    outfit && h('span', {}, outfit.name),
    outfit &&
      h('span', { class: 'tag' }, say(locale, 'score', { score: Math.round(outfit.score) })),
    outfit && whyText(outfit, locale),
  );

/** @param {number} gap points that another choice could gain a day, at most @param {string} locale */
const gapText = (gap, locale) =>
  gap === 0
    ? say(locale, 'isBest')
    : say(locale, 'couldBeBetter', { points: formatNumber(locale, gap, 1) });

/** @param {Garment} garment */
const takenItem = (garment) =>
  h('li', {}, h('img', { src: imageUrl(garment), alt: '' }), h('span', {}, garment.label));

/**
 * Shows what to wear each day and what to take along.
 * @param {any} trip the response
 * @param {string} locale
 * @param {ReadonlyMap<string, Garment>} garments
 */
export function showTrip({ itemIds, days, gap, diagnostics }, locale, garments) {
  const taken = itemIds.flatMap((/** @type {string} */ id) => garments.get(id) ?? []);
  const count = taken.length;
  byId('week').lang = locale;
  fill(
    byId('week'),
    h(
      'ul',
      { class: 'week-strip', 'aria-label': say(locale, 'dayByDay') },
      days.map((/** @type {any} */ day) => outfitOfDay(day, locale, garments)),
    ),
    h('h3', {}, say(locale, 'toTake', { count })),
    h('ul', { class: 'week-items' }, taken.map(takenItem)),
    h('p', { class: 'fine' }, gapText(gap, locale)),
    diagnostics.map((/** @type {any} */ { detail }) => h('p', { class: 'warning' }, detail)),
  );
  announce(say(locale, 'planned', { days: days.length, count }));
}
