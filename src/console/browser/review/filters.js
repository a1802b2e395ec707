import { callJson } from '../api.js';
import { h } from '../element.js';
import { choice } from '../field.js';
import { formatNumber, say } from '../texts.js';
import { DECISION_WORDS, REASONS, reasonName } from './words.js';

/** @typedef {import('./address.js').Address} Address */

/**
 * Chooses which rows are listed.
 * @param {Address} address
 * @param {(changed: Partial<Address>) => void} onChange
 */
export function createFilters({ path, reason, decision, all }, onChange) {
  const names = [...new Set([...REASONS, ...(reason ? [reason] : [])])];
  const which = choice(
    say('filter.cutOuts'),
    [
      ['', say('filter.doubtful')],
      ['all', say('filter.all')],
    ],
    all ? 'all' : '',
    { onchange: () => onChange({ all: which.select.value === 'all' }) },
  );
  const reasons = choice(
    say('filter.reason'),
    [
      ['', say('filter.any')],
      ...names.map((name) => /** @type {[string, string]} */ ([name, reasonName(name)])),
    ],
    reason,
    { onchange: () => onChange({ reason: reasons.select.value }) },
  );
  const decisions = choice(
    say('filter.decision'),
    [['', say('filter.any')], ...Object.entries(DECISION_WORDS)],
    decision,
    { onchange: () => onChange({ decision: decisions.select.value }) },
  );
  const total = h('p.fine', { role: 'status' });

  /** Names how many rows each reason has, and hides those that none has. */
  async function drawReasons() {
    const { reasons: counts } = await callJson(`${path}/review/summary`);
    if (!counts) return;
    for (const name of Object.keys(counts)) {
      if (!names.includes(name))
        reasons.select.append(h('option', { value: name }, reasonName(name)));
    }
    for (const option of reasons.select.options) {
      if (!option.value) continue;
      const rows = counts[option.value] ?? 0;
      option.textContent = `${reasonName(option.value)} (${formatNumber(rows)})`;
      option.hidden = rows === 0 && option.value !== reason;
    }
  }

  if (!all) drawReasons().catch(() => {}); // the list shows the error
  return {
    node: h('div.review-filters', which.node, reasons.node, decisions.node, total),
    /** @param {number} rows @param {boolean} hasMore */
    setTotal(rows, hasMore) {
      const isFiltered = all || reason || decision;
      total.textContent = isFiltered
        ? say('filter.listed', { rows: `${formatNumber(rows)}${hasMore ? '+' : ''}` })
        : '';
    },
  };
}
