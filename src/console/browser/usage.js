import { callJson } from './api.js';
import { byId, fill, h } from './element.js';
import { errorBox } from './error-box.js';

/** @param {number} value */
const formatCount = (value) => value.toLocaleString('en');

/** @param {string} title @param {{limit: number, remaining: number}} usage @param {string} note */
function meter(title, { limit, remaining }, note) {
  const share = limit > 0 ? remaining / limit : 0;
  return h(
    'section',
    { class: 'panel meter' },
    h('h2', {}, title),
    h('strong', {}, formatCount(remaining), h('span', {}, ` of ${formatCount(limit)} left`)),
    h(
      'div',
      { class: 'progress', 'aria-hidden': true },
      h('span', { class: share > 0.1 ? 'is-good' : 'is-bad', '--share': share }),
    ),
    h('p', { class: 'fine' }, note),
  );
}

async function draw() {
  try {
    const { client, scopes, rate, quota, storedBytes } = await callJson('/intake/v1/usage');
    byId('usage-client').textContent = `Signed in as ${client}.`;
    const resets = new Date(quota.resetsAt).toLocaleString('en', {
      hour: '2-digit',
      minute: '2-digit',
      weekday: 'long',
    });
    const full = rate.resetSeconds > 0 ? `Full again in ${rate.resetSeconds} s.` : 'Full.';
    fill(
      byId('usage'),
      meter('Images today', quota, `Resets at midnight UTC: ${resets} local time.`),
      meter('Request rate', rate, full),
      meter('Bytes stored today', storedBytes, `Resets at midnight UTC: ${resets} local time.`),
      h(
        'section',
        { class: 'panel stack' },
        h('h2', {}, 'Scopes of your key'),
        h(
          'ul',
          { class: 'tags' },
          scopes.map((/** @type {string} */ scope) => h('li', { class: 'tag' }, scope)),
        ),
      ),
    );
  } catch (error) {
    fill(byId('usage'), errorBox(error));
  }
}

/** Opens the page with what is left of rate and quota. */
export function openUsage() {
  draw();
  return draw;
}
