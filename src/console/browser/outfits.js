import { callJson } from './api.js';
import { cloSummary } from './clo-chart.js';
import { byId, fill, h, say } from './element.js';
import { faultBox } from './fault-box.js';
import { layFlat, shellPieces } from './figure.js';
import { outfitWhy, shellWords } from './outfit-why.js';
import { addSampleWardrobe } from './sample.js';
import { garments, wardrobe } from './wardrobe-store.js';
import { drawWardrobe, installWardrobe } from './wardrobe-view.js';
import { situationOf, weatherControls } from './weather.js';

const SETTLE_MILLIS = 140;
const MOST_OUTFITS = 5;

/** @typedef {import('./wardrobe-store.js').Garment} Garment */
/** @typedef {import('./weather.js').Words} Words */

/** @type {Words | undefined} */
let words;
/** @type {Map<string, Garment>} */
let known = new Map();
let underWay = new AbortController();

const form = () => byId('weather', HTMLFormElement);

/** @param {any[]} outfits @param {number} at */
function draw(outfits, at) {
  const outfit = outfits[at];
  const { shell } = outfit;
  const others = outfits.map((one, i) =>
    h(
      'button',
      {
        ...{ type: 'button', class: 'quiet', 'aria-pressed': String(i === at) },
        'aria-label': `${i + 1}: ${one.name}, ${Math.round(one.score)} of 100`,
        onclick: () => {
          draw(outfits, i);
          const chosen = byId('figure').querySelector('[aria-pressed="true"]');
          if (chosen instanceof HTMLElement) chosen.focus();
        },
      },
      String(i + 1),
    ),
  );
  fill(
    byId('figure'),
    layFlat(outfit, known),
    outfits.length > 1 &&
      h('div', { class: 'others', role: 'group', 'aria-label': 'Outfits, the best first' }, others),
    shell?.needed &&
      h(
        'section',
        { class: 'shell' },
        h('p', { class: 'fine' }, shellWords(shell)),
        h('ul', {}, shellPieces(shell, known)),
      ),
  );
  fill(byId('why'), outfitWhy(outfit));
  say(`${outfit.name}: ${cloSummary(outfit.thermal.regions)}`);
}

/** @param {string} text @param {...Node} more */
const empty = (text, ...more) => {
  fill(byId('figure'), h('div', { class: 'nothing stack' }, h('p', {}, text), ...more));
  fill(byId('why'));
};

const ownLink = () => h('a', { href: '#/cut-out' }, 'Cut out and name your own');

const sampleButton = () =>
  h(
    'button',
    { class: 'primary', type: 'button', onclick: addSampleWardrobe },
    'Add our sample wardrobe',
  );

/** @param {any} answer */
function show({ outfits, diagnostics }) {
  if (outfits.length > 0) return draw(outfits, 0);
  const why = diagnostics.map((/** @type {any} */ { detail }) => h('li', {}, detail));
  const list = h('ul', { class: 'said' }, why);
  const hasSample = [...known.keys()].some((id) => id.startsWith('sample-'));
  const offer = hasSample ? [] : [sampleButton()];
  empty('There is no whole outfit in this wardrobe yet.', list, ...offer);
}

/** Asks for outfits; who asks anew gives up what was under way. */
async function ask() {
  underWay.abort();
  if (known.size === 0) return empty('Your wardrobe is empty.', sampleButton(), ownLink());
  if (!words) return;
  const asking = new AbortController();
  underWay = asking;
  const body = {
    ...situationOf(form(), words),
    items: [...known.values()].map(({ item }) => item),
    limit: MOST_OUTFITS,
  };
  try {
    show(await callJson('/look/v1/outfits', { method: 'POST', json: body, signal: asking.signal }));
  } catch (error) {
    if (asking.signal.aborted) return;
    fill(byId('figure'), faultBox(error));
    fill(byId('why'));
  }
}

async function refresh() {
  known = new Map((await garments()).map((garment) => [garment.id, garment]));
  drawWardrobe([...known.values()]);
  await ask();
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let settling;
function askSoon() {
  clearTimeout(settling);
  settling = setTimeout(ask, SETTLE_MILLIS);
}

async function load() {
  try {
    if (!words) {
      const { dictionaries } = await callJson('/look/v1/meta');
      words = dictionaries;
      fill(form(), weatherControls(dictionaries));
    }
    await refresh();
  } catch (error) {
    fill(byId('figure'), faultBox(error));
  }
}

/** The wardrobe, the weather, and what to wear. */
export function openOutfits() {
  installWardrobe();
  wardrobe.addEventListener('changed', refresh);
  form().addEventListener('input', askSoon);
  form().addEventListener('submit', (event) => event.preventDefault());
  load();
  return load;
}
