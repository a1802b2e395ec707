import { ApiError, callJson, callWithRetry } from './api.js';
import { cloSummary } from './clo-chart.js';
import { announce, byId, fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { flatLay, shellItems } from './figure.js';
import { outfitExplanation, shellText } from './outfit-explanation.js';
import { fillKeepingFocus, pinned, pins } from './pins.js';
import { addSampleWardrobe } from './sample.js';
import { say } from './texts.js';
import { listGarments, wardrobe } from './wardrobe-store.js';
import { drawWardrobe, installWardrobe } from './wardrobe-view.js';
import { readSituation, weatherControls } from './weather.js';
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

/** @param {any[]} outfits @param {number} selected */
function draw(outfits, selected) {
  const outfit = outfits[selected];
  const { shell } = outfit;
  const alternatives = outfits.map((one, i) =>
    h(
      'button.quiet',
      {
        'aria-pressed': String(i === selected),
        'aria-label': `${i + 1}: ${one.name}, ${say('outfits.score', { score: Math.round(one.score) })}`,
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
        'div.alternatives',
        { role: 'group', 'aria-label': say('outfits.bestFirst') },
        alternatives,
      ),
    shell?.needed &&
      h('section.shell', h('p.fine', shellText(shell)), h('ul', shellItems(shell, garments))),
  );
  fill(byId('explanation'), outfitExplanation(outfit, meta?.dictionaries.warning ?? []));
  announce(`${outfit.name}: ${cloSummary(outfit.thermal.regions)}`);
}

/** @param {string} text @param {...Node} more */
const showEmpty = (text, ...more) => {
  const state = h('div.empty-state.stack', h('p', text), ...more);
  fillKeepingFocus(byId('figure'), state);
  fill(byId('explanation'));
};

const cutOutLink = () => h('a', { href: '#/cut-out' }, say('outfits.own'));

const sampleButton = () =>
  h('button.primary', { onclick: addSampleWardrobe }, say('wardrobe.addSample'));

/** @param {any} response */
function show({ outfits, diagnostics }) {
  if (outfits.length > 0) return draw(outfits, 0);
  const reasons = diagnostics.map((/** @type {any} */ { detail }) => h('li', detail));
  const list = h('ul.reasons', reasons);
  const hasSample = [...garments.keys()].some((id) => id.startsWith('sample-'));
  const actions = hasSample ? [] : [sampleButton()];
  showEmpty(say('outfits.incomplete'), list, ...actions);
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
  const text = say('outfits.busy', { seconds });
  showEmpty(text);
  announce(text);
}

/** Requests outfits; a request still pending is aborted. */
async function update() {
  pending.abort();
  if (garments.size === 0) return showEmpty(say('wardrobe.empty'), sampleButton(), cutOutLink());
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

async function load() {
  try {
    if (!meta) {
      /** @type {Meta} */
      const loaded = await callJson('/look/v1/meta');
      meta = loaded;
      fill(form(), weatherControls(loaded));
    }
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
