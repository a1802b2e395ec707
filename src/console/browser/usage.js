import { callJson } from './api.js';
import { byId, fill, h } from './element.js';
import { faultBox } from './fault-box.js';

/** @param {number} value */
const counted = (value) => value.toLocaleString('en');

/** @param {string} title @param {{limit: number, remaining: number}} of @param {string} note */
function meter(title, { limit, remaining }, note) {
  const share = limit > 0 ? remaining / limit : 0;
  return h(
    'section',
    { class: 'panel meter' },
    h('h2', {}, title),
    h('strong', {}, counted(remaining), h('span', {}, ` of ${counted(limit)} left`)),
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
    const { client, scopes, rate, quota } = await callJson('/intake/v1/usage');
    byId('usage-who').textContent = `Signed in as ${client}.`;
    const resets = new Date(quota.resetsAt).toLocaleString('en', {
      hour: '2-digit',
      minute: '2-digit',
      weekday: 'long',
    });
    const full = rate.resetSeconds > 0 ? `Full again in ${rate.resetSeconds} s.` : 'Full.';
    fill(
      byId('usage'),
      meter('Pictures today', quota, `A new day begins at midnight UTC: ${resets} here.`),
      meter('Requests at a time', rate, full),
      h(
        'section',
        { class: 'panel stack' },
        h('h2', {}, 'What your key may do'),
        h(
          'ul',
          { class: 'tags' },
          scopes.map((/** @type {string} */ scope) => h('li', { class: 'tag' }, scope)),
        ),
      ),
    );
  } catch (error) {
    fill(byId('usage'), faultBox(error));
  }
}

/** What is left of rate and quota. */
export function openUsage() {
  draw();
  return draw;
}
