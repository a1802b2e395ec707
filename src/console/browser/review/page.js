import { callJson } from '../api.js';
import { byId, fill } from '../element.js';
import { say } from '../texts.js';
import { readAddress, toHash } from './address.js';
import { reviewView } from './view.js';

/** @typedef {import('./address.js').Address} Address */

/** @param {Address} one @param {Address | undefined} other */
const hasSameRows = (one, other) =>
  one.path === other?.path &&
  one.reason === other.reason &&
  one.decision === other.decision &&
  one.all === other.all;

/** @param {string} path */
async function drawTitle(path) {
  const { name, id, source } = await callJson(path.replace(/\/runs\/.*/, ''));
  byId('review-title').textContent = source
    ? (source.url ?? source.fileName ?? say('feed.fromFile'))
    : (name ?? id);
}

/** What keys must not be taken from. */
const TYPING =
  'input:not([type="radio"], [type="checkbox"], [type="file"]), select, textarea, dialog *';
/** What Enter presses. */
const PRESSED = 'a, button, summary, label, input';

/** Opens the page on which people review cut-outs. */
export function openReview() {
  /** @type {Address | undefined} */
  let address;
  /** @type {ReturnType<typeof reviewView> | undefined} */
  let view;

  /** @param {Address} wanted */
  function build(wanted) {
    address = wanted;
    view = reviewView(wanted, (next) => {
      history.pushState(null, '', toHash(next));
      build(next);
      view?.focus();
    });
    fill(byId('review'), view.node);
  }

  function draw() {
    const wanted = readAddress(location.hash);
    byId('review-none').hidden = wanted !== undefined;
    if (!wanted) {
      address = view = undefined;
      return fill(byId('review'));
    }
    if (wanted.path !== address?.path) drawTitle(wanted.path).catch(() => {}); // the view shows the error
    if (view && hasSameRows(wanted, address)) view.move(wanted);
    else build(wanted);
  }

  document.addEventListener('keydown', (event) => {
    const { target } = event;
    if (!view?.node.checkVisibility() || !(target instanceof Element)) return;
    if (target.closest(TYPING) || document.querySelector('dialog[open]')) return;
    if (event.key === 'Enter' && target.closest(PRESSED)) return;
    view.onKey(event);
  });
  draw();
  return draw;
}
