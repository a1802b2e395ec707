import { ApiError, callJson, callWithRetry } from './api.js';
import { cloSummary } from './clo-chart.js';
import { announce, byId, fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { flatLay, shellItems } from './figure.js';
import { outfitExplanation, shellText } from './outfit-explanation.js';
import { say } from './outfit-texts.js';
import { fillKeepingFocus, pinned, pins } from './pins.js';
import { addSampleWardrobe } from './sample.js';
import { listGarments, wardrobe } from './wardrobe-store.js';
import { drawWardrobe, installWardrobe } from './wardrobe-view.js';
import { readSituation, restoreControls, weatherControls } from './weather.js';
import { drawWeek, installWeek } from './week.js';

const DEBOUNCE_MILLIS = 140;
const MAX_OUTFITS = 5;

/** @typedef {import('./wardrobe-store.js').Garment} Garment */
/** @typedef {import('./weather.js').Meta} Meta */

/** @type {Meta | undefined} */
let meta;
/** @type {Map<string, Garment>} */
let garments = new Map();
let pending = new AbortController();

const form = () => byId('weather', HTMLFormElement);

/** The language of names and reasons. */
const textLocale = () => meta?.locale ?? 'en';

/** @param {any[]} outfits @param {number} selected */
function draw(outfits, selected) {
  const outfit = outfits[selected];
  const { shell } = outfit;
  const locale = textLocale();
  const alternatives = outfits.map((one, i) =>
    h(
      'button',
      {
        type: 'button',
        class: 'quiet',
        'aria-pressed': String(i === selected),
        'aria-label': `${i + 1}: ${one.name}, ${say(locale, 'score', { score: Math.round(one.score) })}`,
        onclick: () => {
          draw(outfits, i);
          const pressed = byId('figure').querySelector('[aria-pressed="true"]');
          if (pressed instanceof HTMLElement) pressed.focus();
        },
      },
      String(i + 1),
    ),
  );
  fillKeepingFocus(
    byId('figure'),
    flatLay(outfit, garments, { canPin: true }),
    outfits.length > 1 &&
      h(
        'div',
        { class: 'alternatives', role: 'group', 'aria-label': say(locale, 'bestFirst') },
        alternatives,
      ),
    shell?.needed &&
      h(
        'section',
        { class: 'shell', lang: locale },
        h('p', { class: 'fine' }, shellText(shell, locale)),
        h('ul', {}, shellItems(shell, garments)),
      ),
  );
  fill(byId('explanation'), outfitExplanation(outfit, meta?.dictionaries.warning ?? [], locale));
  announce(`${outfit.name}: ${cloSummary(outfit.thermal.regions, locale)}`);
}

/** @param {string} text @param {...Node} more */
const showEmpty = (text, ...more) => {
  const state = h('div', { class: 'empty-state stack' }, h('p', {}, text), ...more);
  fillKeepingFocus(byId('figure'), state);
  fill(byId('explanation'));
};

const cutOutLink = () => h('a', { href: '#/cut-out' }, 'Cut out and classify your own garments');

const sampleButton = () =>
  h(
    'button',
    { class: 'primary', type: 'button', onclick: addSampleWardrobe },
    'Add the sample wardrobe',
  );

/** @param {any} response */
function show({ outfits, diagnostics }) {
  if (outfits.length > 0) return draw(outfits, 0);
  const reasons = diagnostics.map((/** @type {any} */ { detail }) => h('li', {}, detail));
  const list = h('ul', { class: 'reasons' }, reasons);
  const hasSample = [...garments.keys()].some((id) => id.startsWith('sample-'));
  const actions = hasSample ? [] : [sampleButton()];
  showEmpty(say(textLocale(), 'incomplete'), list, ...actions);
}

const pinsInUse = () => [...pinned].filter((id) => garments.has(id));

/** The person, the weather and the wardrobe, as a request takes them. @param {Meta} meta */
const readRequest = ({ dictionaries }) => ({
  ...readSituation(form(), dictionaries),
  items: [...garments.values()].map(({ item }) => item),
  pin: pinsInUse(),
});

/** @param {string} pointer `/pin/0` becomes the name of the garment */
function labelOfPin(pointer) {
  const at = /^\/pin\/(\d+)$/.exec(pointer)?.[1];
  return (at && garments.get(pinsInUse()[Number(at)] ?? '')?.label) || pointer;
}

/** The same error with the names of garments instead of their ids. @param {unknown} error */
function withLabels(error) {
  if (!(error instanceof ApiError)) return error;
  const named = (/** @type {string} */ text) =>
    [...garments.values()].reduce((all, { id, label }) => all.replaceAll(id, label), text);
  const errors = error.errors.map(({ pointer, detail }) => ({
    pointer: labelOfPin(pointer),
    detail: named(detail),
  }));
  return new ApiError({ ...error, detail: named(error.detail), errors });
}

/** @param {number} seconds */
function showWaiting(seconds) {
  const text = `The service is busy. The outfits are requested again in ${seconds} s.`;
  showEmpty(text);
  announce(text);
}

/** Requests outfits; a request still pending is aborted. */
async function update() {
  pending.abort();
  if (garments.size === 0)
    return showEmpty('Your wardrobe is empty.', sampleButton(), cutOutLink());
  if (!meta) return;
  const current = new AbortController();
  pending = current;
  const json = { ...readRequest(meta), limit: MAX_OUTFITS };
  const request = { method: 'POST', json, signal: current.signal };
  try {
    show(await (await callWithRetry('/look/v1/outfits', request, showWaiting)).json());
  } catch (error) {
    if (current.signal.aborted) return;
    fillKeepingFocus(byId('figure'), errorBox(withLabels(error)));
    fill(byId('explanation'));
  }
}

async function refresh() {
  garments = new Map((await listGarments()).map((garment) => [garment.id, garment]));
  drawWardrobe([...garments.values()]);
  drawWeek();
  await update();
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
function updateSoon() {
  clearTimeout(timer);
  timer = setTimeout(update, DEBOUNCE_MILLIS);
}

/** Loads the texts of a language, by default the browser's. @param {string} [locale] */
async function loadTexts(locale) {
  const query = locale === undefined ? '' : `?${new URLSearchParams({ locale })}`;
  /** @type {Meta} */
  const loaded = await callJson(`/look/v1/meta${query}`);
  const fields = new FormData(form());
  meta = loaded;
  fill(form(), weatherControls(loaded));
  restoreControls(form(), fields);
}

/** @param {Event} event */
async function changeLanguage({ target }) {
  if (!(target instanceof HTMLSelectElement) || target.name !== 'locale') return;
  await loadTexts(target.value);
  const select = form().elements.namedItem('locale');
  if (select instanceof HTMLSelectElement) select.focus();
  await refresh();
}

async function load() {
  try {
    if (!meta) await loadTexts();
    await refresh();
  } catch (error) {
    fill(byId('figure'), errorBox(error));
  }
}

/** Opens the page with the wardrobe, the weather and the best outfits. */
export function openOutfits() {
  installWardrobe();
  wardrobe.addEventListener('changed', refresh);
  pins.addEventListener('changed', update);
  form().addEventListener('input', updateSoon);
  form().addEventListener('change', changeLanguage);
  installWeek({
    readRequest: () => meta && readRequest(meta),
    conditions: () => meta?.dictionaries.condition ?? [],
    garments: () => garments,
    withLabels,
  });
  form().addEventListener('submit', (event) => event.preventDefault());
  load();
  return load;
}
