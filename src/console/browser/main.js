import { callJson, Fault, session } from './api.js';
import { openCatalogue } from './catalogue.js';
import { openCutOut } from './cut-out.js';
import { refuseStrayDrops } from './drop.js';
import { byId, fill } from './element.js';
import { faultBox } from './fault-box.js';
import { openOutfits } from './outfits.js';
import { installThemeSwitch } from './theme-switch.js';
import { openUsage } from './usage.js';

const SESSION = '/console/session';

/** Each page is opened when it is first seen, and told each time it is seen again. */
const PAGES = {
  'cut-out': { title: 'Cut out', open: openCutOut },
  catalogue: { title: 'Catalogue', open: openCatalogue },
  outfits: { title: 'Outfits', open: openOutfits },
  usage: { title: 'Usage', open: openUsage },
};

/** @typedef {keyof typeof PAGES} PageName */
/** @type {Map<PageName, (() => void) | void>} */
const opened = new Map();
let isSignedIn = false;

/** @returns {PageName} */
function pageNow() {
  const name = location.hash.replace(/^#\//, '');
  return name in PAGES ? /** @type {PageName} */ (name) : 'cut-out';
}

/** @param {boolean} [isChange] whether the person went here, so that the place is told */
function show(isChange = false) {
  const now = pageNow();
  for (const section of document.querySelectorAll('[data-page]')) {
    /** @type {HTMLElement} */ (section).hidden =
      !isSignedIn || section.getAttribute('data-page') !== now;
  }
  byId('sign-in').hidden = isSignedIn;
  byId('tabs').hidden = byId('sign-out').hidden = !isSignedIn;
  for (const link of byId('tabs').querySelectorAll('a')) {
    if (link.hash === `#/${now}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = isSignedIn ? `${PAGES[now].title} · Selvage` : 'Selvage';
  if (!isSignedIn) return;
  if (opened.has(now)) opened.get(now)?.();
  else opened.set(now, PAGES[now].open());
  if (!isChange) return;
  const heading = document.querySelector(`[data-page="${now}"] h1`);
  if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** @param {string} key */
async function signIn(key) {
  await callJson(SESSION, { method: 'POST', json: { key } });
  isSignedIn = true;
  fill(byId('sign-in-fault'));
  show();
}

/** @param {unknown} [why] */
function showSignIn(why) {
  isSignedIn = false;
  show();
  fill(byId('sign-in-fault'), why !== undefined && faultBox(why));
  byId('key').focus();
}

/** A link may carry a key behind `#`, which stays in the browser; it is out of sight at once. */
function keyInAddress() {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key !== null) history.replaceState(null, '', '/#/cut-out');
  return key;
}

async function start() {
  const key = keyInAddress();
  try {
    if (key) return await signIn(key);
    const standing = await callJson(SESSION);
    isSignedIn = standing.signedIn;
    if (isSignedIn) show();
    else showSignIn();
  } catch (error) {
    showSignIn(error);
  }
}

byId('sign-in-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = byId('key', HTMLInputElement);
  const key = input.value.trim();
  input.value = '';
  signIn(key).catch(showSignIn);
});
byId('sign-out').addEventListener('click', async () => {
  await fetch(SESSION, { method: 'DELETE' });
  // Nothing of one person's work is to be there for the next.
  location.replace('/');
});
session.addEventListener('signed-out', () => {
  if (!isSignedIn) return;
  showSignIn(new Fault({ type: 'unauthorized', title: 'You are signed out' }));
});
addEventListener('hashchange', () => {
  const key = keyInAddress();
  if (key) signIn(key).catch(showSignIn);
  else show(true);
});

refuseStrayDrops();
installThemeSwitch();
start();
