import { h } from './element.js';
import { ruleText } from './review.js';

/** Says which rules of a marketplace a file does not meet. @param {string | null | undefined} header `X-Cutout-Rules` */
export function rulesVerdict(header) {
  if (!header) return [];
  if (header === 'passed') return [h('p', {}, 'It meets all rules.')];
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
