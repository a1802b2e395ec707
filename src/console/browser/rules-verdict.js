import { h } from './element.js';
import { ruleText } from './review.js';
import { say } from './texts.js';

/** Says which rules of a marketplace a file does not meet. @param {string | null | undefined} header `X-Cutout-Rules` */
export function rulesVerdict(header) {
  if (!header) return [];
  if (header === 'passed') return [h('p', say('rules.passed'))];
  const failed = header.replace(/^failed; */, '').split(/, */);
  return [
    h('p', h('b', say('rules.failed'))),
    h(
      'ul',
      failed.map((rule) => h('li', ruleText(rule))),
    ),
  ];
}
