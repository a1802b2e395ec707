import { callJson } from './api.js';
import { byId, fill, h, tags } from './element.js';
import { errorBox } from './error-box.js';
import { formatDate, formatNumber, say } from './texts.js';

/** @param {string} title @param {{limit: number, remaining: number}} usage @param {string} note */
function meter(title, { limit, remaining }, note) {
  const share = limit > 0 ? remaining / limit : 0;
  return h(
    'section.panel.meter',
    h('h2', title),
    h('strong', formatNumber(remaining), ' ', h('span', say('usage.left', { limit }))),
    h(
      'div.progress',
      { 'aria-hidden': true },
      h('span', { class: share > 0.1 ? 'is-good' : 'is-bad', '--share': share }),
    ),
    h('p.fine', note),
  );
}

async function draw() {
  try {
    const { client, scopes, rate, quota, storedBytes } = await callJson('/intake/v1/usage');
    byId('usage-client').textContent = say('usage.client', { client });
    const time = formatDate(quota.resetsAt, {
      hour: '2-digit',
      minute: '2-digit',
      weekday: 'long',
    });
    const resets = say('usage.resets', { time });
    const seconds = rate.resetSeconds;
    const full = seconds > 0 ? say('usage.fullIn', { seconds }) : say('usage.full');
    fill(
      byId('usage'),
      meter(say('usage.images'), quota, resets),
      meter(say('usage.rate'), rate, full),
      meter(say('usage.bytes'), storedBytes, resets),
      h('section.panel.stack', h('h2', say('usage.scopes')), tags(scopes)),
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
