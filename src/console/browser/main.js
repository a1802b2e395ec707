import { ApiError, callJson, session } from './api.js';
import { openCatalogue } from './catalogue.js';
import { openCutOut } from './cut-out.js';
import { translateDocument } from './document-texts.js';
import { ignoreOtherDrops } from './drop.js';
import { byId, fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { mayOperate, openOperate } from './operate/page.js';
import { PROVIDER } from './options.js';
import { openOutfits } from './outfits.js';
import { openReview } from './review/page.js';
import { may, readRights } from './rights.js';
import { say } from './texts.js';
import { installThemeSwitch } from './theme-switch.js';
import { openUsage } from './usage.js';

const SESSION = '/console/session';

/** The scope of what is done with pictures. */
const CUTS = 'background-removal:process';

/** `open` runs when a page is first shown; the function it returns runs each time it is shown again. */
const PAGES = {
  'cut-out': { open: openCutOut, isAllowed: () => may([CUTS]) },
  catalogue: { open: openCatalogue, isAllowed: () => may([CUTS, 'jobs']) },
  review: { open: openReview, isAllowed: () => may(['review']), tab: 'catalogue' },
  outfits: { open: openOutfits, isAllowed: () => may(['look-engine:compute']) },
  operate: { open: openOperate, isAllowed: mayOperate },
  usage: { open: openUsage, isAllowed: () => true },
};

/** @typedef {keyof typeof PAGES} PageName */
/** @type {Map<PageName, (() => void) | void>} */
const opened = new Map();
let isSignedIn = false;
/** Who has signed in, if it was not by a key. */
let person = '';
/** @type {PageName | undefined} */
let shown;

const PAGE_NAMES = /** @type {PageName[]} */ (Object.keys(PAGES));

/** The page of the address, else the first one that the key may use. */
function currentPage() {
  const [, wanted] = /^#\/([\w-]+)/.exec(location.hash) ?? [];
  const allowed = PAGE_NAMES.filter((name) => PAGES[name].isAllowed());
  return allowed.find((name) => name === wanted) ?? allowed[0] ?? 'usage';
}

/** Returns the page whose tab is marked. @param {PageName} name */
const tabOf = (name) => ('tab' in PAGES[name] ? PAGES[name].tab : name);

/** @param {boolean} [isNavigation] whether the person changed the page: its heading gets the focus */
function show(isNavigation = false) {
  const current = currentPage();
  for (const section of document.querySelectorAll('[data-page]')) {
    /** @type {HTMLElement} */ (section).hidden =
      !isSignedIn || section.getAttribute('data-page') !== current;
  }
  byId('sign-in').hidden = isSignedIn;
  byId('tabs').hidden = byId('sign-out').hidden = !isSignedIn;
  for (const link of byId('tabs').querySelectorAll('a')) {
    const name = PAGE_NAMES.find((each) => link.hash === `#/${each}`);
    link.hidden = !name || !PAGES[name].isAllowed();
    if (name === tabOf(current)) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = isSignedIn ? `${say(`page.${current}`)} · Selvage` : 'Selvage';
  if (!isSignedIn) return;
  if (opened.has(current)) opened.get(current)?.();
  else opened.set(current, PAGES[current].open());
  const isSame = current === shown;
  shown = current;
  if (!isNavigation || isSame) return;
  const heading = document.querySelector(`[data-page="${current}"] h1`);
  if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** @param {string} key */
async function signIn(key) {
  await callJson(SESSION, { method: 'POST', json: { key } });
  await readRights();
  isSignedIn = true;
  fill(byId('sign-in-error'));
  show();
}

/** @param {unknown} [error] */
function showSignIn(error) {
  isSignedIn = false;
  show();
  fill(byId('sign-in-error'), error !== undefined && errorBox(error));
  byId('key').focus();
}

/** Reads a key from behind `#`, which browsers never send, and removes it from the address at once. */
function takeKeyFromAddress(address = location.href) {
  const key = new URLSearchParams(new URL(address).hash.slice(1)).get('key');
  if (key !== null) history.replaceState(null, '', '/#/cut-out');
  return key;
}

/** Shows where else one signs in, and how to end what remains there after signing out here. */
function offerProvider() {
  if (!PROVIDER) return;
  const { name, signIn, signOut } = PROVIDER;
  const go = () => location.assign(signIn);
  fill(
    byId('sign-in-provider'),
    h(
      'button',
      { type: 'button', class: 'primary', onclick: go },
      say('signIn.provider', { name }),
    ),
    location.search === '?signed-out' &&
      h('p', { class: 'fine' }, h('a', { href: signOut }, say('signIn.leave', { name }))),
  );
}

async function start() {
  const key = takeKeyFromAddress();
  try {
    if (key) return await signIn(key);
    const current = await callJson(SESSION);
    if (current.signedIn) await readRights();
    isSignedIn = current.signedIn;
    person = current.person ?? '';
    byId('sign-out').title = person;
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
  // A reload: the next person must not see the work of this one.
  location.replace(person ? '/?signed-out' : '/');
});
session.addEventListener('signed-out', () => {
  if (!isSignedIn) return;
  showSignIn(new ApiError({ type: 'signed-out' }));
});
addEventListener('hashchange', ({ newURL }) => {
  const key = takeKeyFromAddress(newURL); // the address may be another one by now
  if (key) signIn(key).catch(showSignIn);
  else show(true);
});

translateDocument();
ignoreOtherDrops();
offerProvider();
installThemeSwitch();
start();
