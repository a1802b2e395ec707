import { compare } from './compare.js';
import { sidePanel } from './cut-side.js';
import { takeFiles } from './drop.js';
import { byId, fill, h, say } from './element.js';
import { faultBox } from './fault-box.js';
import { groundPicker } from './ground-picker.js';
import { removeBackground, shotOf } from './shot.js';

/** @typedef {import('./shot.js').Shot} Shot */

const AT_ONCE = 2;
const SAMPLE = '/console/sample/sweater-on-oak.jpg';

/** @type {Shot[]} */
const shots = [];
/** @type {Shot | undefined} */
let chosen;

/** @param {Shot} shot */
async function work(shot) {
  Object.assign(shot, { state: 'working', note: 'Cutting out', beganAt: performance.now() });
  draw(shot);
  try {
    const response = await removeBackground(shot, {}, (seconds) => {
      shot.note = `The service is busy; going on in ${seconds} s`;
      draw(shot);
    });
    shot.cutOut = await response.blob();
    const { width, height } = await createImageBitmap(shot.cutOut);
    Object.assign(shot, {
      ...{ width, height, state: 'done', millis: performance.now() - shot.beganAt },
      after: URL.createObjectURL(shot.cutOut),
      model: response.headers.get('x-model') ?? undefined,
      timing: response.headers.get('server-timing') ?? undefined,
      confidence: Number(response.headers.get('x-cutout-confidence')),
    });
    say(`${shot.name} is cut out`);
  } catch (error) {
    Object.assign(shot, { state: 'failed', error });
    say(`${shot.name} failed`);
  }
  draw(shot);
}

/** Works on what waits, a few at a time. */
function workOn() {
  while (shots.filter(({ state }) => state === 'working').length < AT_ONCE) {
    const next = shots.find(({ state }) => state === 'waiting');
    if (!next) return;
    work(next).finally(workOn);
  }
}

/** @param {File[]} files */
function take(files) {
  const quality = byId('cut-quality', HTMLSelectElement).value;
  const fresh = files.map((file) => shotOf(file, quality));
  const [first] = fresh;
  if (!first) return;
  shots.push(...fresh);
  byId('cut').classList.add('has-photos');
  byId('cut-work').hidden = false;
  choose(first);
  workOn();
}

/** @param {Shot} shot */
function choose(shot) {
  chosen = shot;
  draw(shot);
}

/** @param {Shot} shot @param {string} kind */
function photoOf({ before, name }, kind) {
  const image = h('img', { class: kind, src: before, alt: `${name} as it came` });
  image.addEventListener('error', () => image.remove()); // no picture that a browser knows
  return image;
}

/** @param {Shot} shot */
function noteOf({ note, beganAt }) {
  const seconds = Math.floor((performance.now() - beganAt) / 1000);
  return seconds < 2 ? `${note} …` : `${note} … ${seconds} s`;
}

/** @param {Shot} shot */
function stageOf(shot) {
  const { before, after, width, height, name } = shot;
  if (shot.state === 'done' && after && width && height) {
    const figure = compare({ before, after, width, height, name });
    return [figure, groundPicker(figure)];
  }
  if (shot.state === 'failed') {
    return [
      photoOf(shot, 'cut-alone'),
      faultBox(shot.error),
      h('button', { type: 'button', onclick: () => again(shot) }, 'Try again'),
    ];
  }
  return [
    photoOf(shot, 'cut-alone is-waiting'),
    h('div', { class: 'working' }),
    h('p', { class: 'fine', id: 'cut-note' }, noteOf(shot)),
  ];
}

/** @param {Shot} shot */
function again(shot) {
  shot.state = 'waiting';
  draw(shot);
  workOn();
}

/** @param {Shot} shot */
function sideOf(shot) {
  if (shot.state !== 'done') return undefined;
  shot.side ??= sidePanel(shot);
  return shot.side;
}

const STATES = { waiting: 'waits', working: 'is worked on', done: 'is done', failed: 'failed' };

/** @param {Shot} shot */
const tile = (shot) =>
  h(
    'li',
    {},
    h(
      'button',
      {
        ...{ type: 'button', class: `strip-tile check is-${shot.state}` },
        'aria-pressed': String(shot === chosen),
        'aria-label': `${shot.name} ${STATES[shot.state]}`,
        onclick: () => choose(shot),
      },
      h('img', { src: shot.after ?? shot.before, alt: '' }),
    ),
  );

/** @param {Shot} changed */
function draw(changed) {
  if (changed === chosen) {
    fill(byId('cut-stage'), stageOf(changed));
    fill(byId('cut-side'), sideOf(changed));
  }
  const strip = byId('cut-strip');
  const had = strip.contains(document.activeElement);
  fill(strip, shots.length > 1 && shots.map(tile));
  const pressed = strip.querySelector('[aria-pressed="true"]');
  if (had && pressed instanceof HTMLElement) pressed.focus();
}

/** @param {ClipboardEvent} event */
function takePasted({ clipboardData }) {
  if (byId('cut').checkVisibility()) take([...(clipboardData?.files ?? [])]);
}

async function takeSample() {
  const blob = await (await fetch(SAMPLE)).blob();
  take([new File([blob], 'sweater-on-oak.jpg', { type: blob.type })]);
}

/** Photo in, cut-out out. */
export function openCutOut() {
  takeFiles(byId('cut-drop'), take, byId('cut-page'));
  document.addEventListener('paste', takePasted);
  byId('cut-sample').addEventListener('click', takeSample);
  setInterval(() => {
    const note = document.getElementById('cut-note');
    if (note && chosen) note.textContent = noteOf(chosen);
  }, 1000);
}
