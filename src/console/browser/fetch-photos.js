import { callWithRetry } from './api.js';
import { byId, fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { say } from './texts.js';

/** Addresses at a time. */
const MAX_LINKS = 20;

/** Returns the name of the file behind an address. @param {string} link */
function nameOf(link) {
  const name = new URL(link).pathname.split('/').pop() || 'photo';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** @param {string} link @param {AbortSignal} signal @param {(seconds: number) => void} onWait @returns {Promise<File>} */
async function fetchPhoto(link, signal, onWait) {
  const request = { method: 'POST', json: { imageUrl: link }, signal };
  const photo = await (await callWithRetry('/console/photos', request, onWait)).blob();
  return new File([photo], nameOf(link), { type: photo.type });
}

/** Shows an address until its photo is there, or what has become of it is seen. @param {string} link @param {(photos: File[]) => void} take */
async function showLink(link, take) {
  const row = h('li', { class: 'stack' });
  byId('cut-links').append(row);
  const removed = new AbortController();
  const button = (/** @type {string} */ text, /** @type {() => void} */ onclick) =>
    h('button', { type: 'button', class: 'quiet', onclick }, text);
  const remove = () => {
    removed.abort();
    row.remove();
  };
  async function attempt() {
    const status = h('p', { class: 'fine', role: 'status' }, say('cut.fetching', { link }));
    const onWait = (/** @type {number} */ seconds) => {
      status.textContent = `${link}: ${say('cut.busy', { seconds })}`;
    };
    fill(row, status, h('div', { class: 'buttons' }, button(say('cut.remove'), remove)));
    try {
      take([await fetchPhoto(link, removed.signal, onWait)]);
      row.remove();
    } catch (error) {
      if (removed.signal.aborted) return;
      const buttons = [button(say('cut.again'), attempt), button(say('cut.remove'), remove)];
      fill(row, h('p', {}, link), errorBox(error), h('div', { class: 'buttons' }, buttons));
    }
  }
  await attempt();
}

/**
 * Has the service fetch the photos behind web addresses: the browser may not read them.
 * @param {readonly string[]} links @param {(photos: File[]) => void} take called with each photo
 */
export function fetchPhotos(links, take) {
  const isTooMany = links.length > MAX_LINKS;
  byId('cut-said').textContent = isTooMany
    ? say('cut.tooManyLinks', { count: links.length, max: MAX_LINKS })
    : '';
  if (!isTooMany) for (const link of new Set(links)) showLink(link, take);
}
