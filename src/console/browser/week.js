import { callJson } from './api.js';
import { announce, byId, fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { flatLay, imageUrl } from './figure.js';
import { readForecastFile } from './forecast-file.js';

/** @typedef {import('./wardrobe-store.js').Garment} Garment */
/** @typedef {import('./weather.js').Entry} Entry */
/** @typedef {import('./forecast-file.js').ForecastFile} ForecastFile */
/**
 * @typedef {object} WeekDeps
 * @property {() => any} readRequest person, weather and wardrobe; undefined before the page is ready
 * @property {() => Entry[]} conditions
 * @property {() => ReadonlyMap<string, Garment>} garments
 * @property {(error: unknown) => unknown} withLabels
 */

const DAYS = 7;
const DAY_MILLIS = 86_400_000;

/** @type {WeekDeps | undefined} */
let deps;
/** The forecast that was chosen, instead of weather by hand. @type {ForecastFile | undefined} */
let forecast;

const form = () => byId('week-form', HTMLFormElement);

/** @param {Date} date @returns {string} of the local calendar, as the API takes it */
const isoDate = (date) =>
  new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

const nextDates = () =>
  Array.from({ length: DAYS }, (_, i) => isoDate(new Date(Date.now() + (i + 1) * DAY_MILLIS)));

/** @param {string} date @param {string} locale */
const dateLabel = (date, locale) =>
  new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' }).format(
    new Date(`${date}T12:00`),
  );

/** @param {string} date @param {any} request @param {Entry[]} conditions */
const dayControls = (date, { weather, locale }, conditions) =>
  h(
    'li',
    { class: 'week-day stack', 'data-date': date },
    h('b', {}, dateLabel(date, locale)),
    h(
      'label',
      { class: 'field' },
      'Temperature, °C',
      h('input', {
        type: 'number',
        name: 'dayTempC',
        min: -50,
        max: 50,
        step: 1,
        value: weather.tempC,
        required: true,
      }),
    ),
    h(
      'label',
      { class: 'field' },
      'Conditions',
      h(
        'select',
        { name: 'dayCondition' },
        conditions.map(({ id, label }) =>
          h('option', { value: id, selected: id === weather.condition }, label),
        ),
      ),
    ),
  );

/** Draws the days to fill in, once there is a wardrobe; what was filled in stays. */
export function drawWeek() {
  const request = deps?.readRequest();
  byId('week-section').hidden = !request || request.items.length === 0;
  if (!deps || !request || byId('week-days').childElementCount > 0) return;
  const conditions = deps.conditions();
  fill(
    byId('week-days'),
    nextDates().map((date) => dayControls(date, request, conditions)),
  );
}

/**
 * What all days have in common. They are planned for outside, wherever the person is now: a suitcase
 * packed for the room has no coat.
 * @param {any} request
 */
const everyDay = ({ met, occasion }) => ({
  met,
  plan: 'outdoor',
  ...(occasion && { occasion }),
});

/** @param {any} request the days as filled in, with the wind and humidity of today */
function daysByHand(request) {
  const { weather } = request;
  return [...byId('week-days').children].map((day) => {
    const value = (/** @type {string} */ name) => {
      const control = day.querySelector(`[name=${name}]`);
      return control instanceof HTMLInputElement || control instanceof HTMLSelectElement
        ? control.value
        : '';
    };
    return {
      date: day.getAttribute('data-date'),
      weather: { ...weather, tempC: Number(value('dayTempC')), condition: value('dayCondition') },
      ...everyDay(request),
    };
  });
}

/** @param {any} request */
function tripRequest(request) {
  const { userProfile, locale, items, pin } = request;
  const fields = new FormData(form());
  const wears = Number(fields.get('wears'));
  return {
    userProfile,
    locale,
    items,
    pin,
    maxItems: Number(fields.get('maxItems')),
    ...(wears > 0 && { wearsBeforeWash: wears }),
    ...(forecast
      ? {
          forecast: forecast.body,
          days: forecast.dates.slice(0, DAYS).map((date) => ({ date, ...everyDay(request) })),
        }
      : { days: daysByHand(request) }),
  };
}

/** @param {{date: string, outfit: any}} day @param {string} locale @param {ReadonlyMap<string, Garment>} garments */
const outfitOfDay = ({ date, outfit }, locale, garments) =>
  h(
    'li',
    { class: 'week-outfit stack', 'data-date': date },
    h('b', {}, dateLabel(date, locale)),
    outfit ? flatLay(outfit, garments) : h('p', { class: 'fine' }, 'No outfit is left.'),
    outfit && h('span', {}, outfit.name),
    outfit && h('span', { class: 'tag' }, `${Math.round(outfit.score)} of 100`),
  );

/** @param {number} gap points that another choice could gain a day, at most */
const gapText = (gap) =>
  gap === 0
    ? 'No other choice of garments suits these days better.'
    : `Another choice could suit these days better by at most ${gap.toFixed(1)} points of 100.`;

/** @param {any} trip @param {string} locale @param {ReadonlyMap<string, Garment>} garments */
function showTrip({ itemIds, days, gap, diagnostics }, locale, garments) {
  const taken = itemIds.flatMap((/** @type {string} */ id) => garments.get(id) ?? []);
  fill(
    byId('week'),
    h(
      'ul',
      { class: 'week-strip', 'aria-label': 'Outfits, day by day' },
      days.map((/** @type {any} */ day) => outfitOfDay(day, locale, garments)),
    ),
    h('h3', {}, `Take ${taken.length} garments`),
    h(
      'ul',
      { class: 'week-items' },
      taken.map((/** @type {Garment} */ garment) =>
        h('li', {}, h('img', { src: imageUrl(garment), alt: '' }), h('span', {}, garment.label)),
      ),
    ),
    h('p', { class: 'fine' }, gapText(gap)),
    diagnostics.map((/** @type {any} */ { detail }) => h('p', { class: 'warning' }, detail)),
  );
  announce(`${days.length} days are planned with ${taken.length} garments`);
}

/** @param {SubmitEvent} event */
async function planWeek(event) {
  event.preventDefault();
  const request = deps?.readRequest();
  if (!deps || !request) return;
  const button = byId('week-plan', HTMLButtonElement);
  button.disabled = true;
  fill(byId('week'), h('p', { class: 'fine', role: 'status' }, 'Planning …'));
  try {
    const trip = await callJson('/look/v1/trip', { method: 'POST', json: tripRequest(request) });
    showTrip(trip, request.locale, deps.garments());
  } catch (error) {
    fill(byId('week'), errorBox(deps.withLabels(error)));
  } finally {
    button.disabled = false;
  }
}

/** Reads the forecast that was chosen, or goes back to weather by hand. */
async function chooseForecast() {
  const [file] = byId('week-forecast', HTMLInputElement).files ?? [];
  const note = byId('week-forecast-note');
  try {
    forecast = file && (await readForecastFile(file));
    note.textContent = forecast
      ? `${forecast.source}: ${forecast.dates.length} whole days.`
      : 'JSON as Open-Meteo or MET Norway send it. Nothing is fetched.';
  } catch (error) {
    forecast = undefined;
    note.textContent = error instanceof Error ? error.message : String(error);
  }
  byId('week-days').hidden = forecast !== undefined;
}

/** Sets up the plan of a week. @param {WeekDeps} given */
export function installWeek(given) {
  deps = given;
  form().addEventListener('submit', planWeek);
  byId('week-forecast').addEventListener('change', chooseForecast);
}
