import { callJson } from './api.js';
import { fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { ruleText } from './review.js';

/** @param {string} header `X-Cutout-Rules` */
function verdict(header) {
  if (header === 'passed') return h('p', {}, 'It meets all rules.');
  const failed = header.replace(/^failed; */, '').split(/, */);
  return [
    h('p', {}, h('b', {}, 'It does not meet the rules:')),
    h(
      'ul',
      {},
      failed.map((rule) => h('li', {}, ruleText(rule))),
    ),
  ];
}

/** Chooses the marketplace whose rules a cut-out is judged by, and says which it does not meet. */
export function rulesField() {
  const pack = h('select', {}, h('option', { value: '' }, 'None'));
  const fix = h('input', { type: 'checkbox' });
  const place = h('div', { class: 'fine', role: 'status' });
  let isFilled = false;

  return {
    node: [
      h('label', { class: 'field' }, 'Rules of a marketplace', pack),
      h('label', { class: 'checkbox' }, fix, ' Make right what needs no new pixels'),
    ],
    /** Where it says which rules are not met. */
    place,
    /** Reads the rules there are, once. */
    async load() {
      if (isFilled) return;
      isFilled = true;
      try {
        const { rules } = await callJson('/intake/v1/rules');
        for (const { name, pack: content } of rules)
          pack.append(h('option', { value: name }, content.title));
      } catch (error) {
        isFilled = false;
        fill(place, errorBox(error));
      }
    },
    /** @returns {Record<string, string>} fields of a request */
    read: () => (pack.value ? { rules: pack.value, fixRules: String(fix.checked) } : {}),
    /** @param {Response} [response] with a verdict; without one if it was not judged */
    show(response) {
      const header = response?.headers.get('x-cutout-rules');
      fill(place, ...(header ? [verdict(header)] : []));
    },
  };
}
