import { callWithRetry } from './api.js';
import { byId, fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { choice } from './field.js';
import { readForecastFile } from './forecast-file.js';
import { say } from './texts.js';
import { dateLabel, showTrip } from './trip-view.js';

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
/** What was requested last. @type {any} */
let planned;

const form = () => byId('week-form', HTMLFormElement);

/** @param {Date} date @returns {string} of the local calendar, as the API takes it */
const isoDate = (date) =>
  new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

const nextDates = () =>
  Array.from({ length: DAYS }, (_, i) => isoDate(new Date(Date.now() + (i + 1) * DAY_MILLIS)));

/**
 * A day to fill in.
 * @param {string} date
 * @param {any} request
 * @param {Entry[]} conditions
 */
const dayControls = (date, { weather }, conditions) =>
  h(
    'li.week-day.stack',
    { 'data-date': date },
    h('b', dateLabel(date)),
    h(
      'label.field',
      say('week.temperature'),
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
    choice(
      say('weather.condition'),
      conditions.map(({ id, label }) => [id, label]),
      weather.condition,
      { name: 'dayCondition' },
    ).node,
  );

/** Draws the days to fill in, once there is a wardrobe; what was filled in stays. */
export function drawWeek() {
  const request = deps?.readRequest();
  byId('week-section').hidden = !request || request.items.length === 0;
  if (!deps || byId('week-section').hidden) return;
  const conditions = deps.conditions();
  if (byId('week-days').childElementCount > 0) return;
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
  const { userProfile, items, pin } = request;
  const fields = new FormData(form());
  const wears = Number(fields.get('wears'));
  return {
    userProfile,
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

/** Requests the plan and shows it, unless a later one was requested meanwhile. @param {any} request */
async function plan(request) {
  planned = request;
  const button = byId('week-plan', HTMLButtonElement);
  button.disabled = true;
  const status = h('p.fine', { role: 'status' }, say('week.planning'));
  fill(byId('week'), status);
  try {
    const options = { method: 'POST', json: request };
    const response = await callWithRetry('/look/v1/trip', options, (seconds) => {
      status.textContent = say('week.busy', { seconds });
    });
    const trip = await response.json();
    if (deps && planned === request) showTrip(trip, deps.garments());
  } catch (error) {
    if (deps && planned === request) fill(byId('week'), errorBox(deps.withLabels(error)));
  } finally {
    if (planned === request) button.disabled = false;
  }
}

/** @param {SubmitEvent} event */
function planWeek(event) {
  event.preventDefault();
  const request = deps?.readRequest();
  if (request) plan(tripRequest(request));
}

/** Reads the forecast that was chosen, or goes back to weather by hand. */
async function chooseForecast() {
  const [file] = byId('week-forecast', HTMLInputElement).files ?? [];
  const note = byId('week-forecast-note');
  try {
    forecast = file && (await readForecastFile(file));
    note.textContent = forecast
      ? say('week.days', { source: forecast.source, count: forecast.dates.length })
      : say('week.forecastNote');
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
