import { h } from './element.js';
import { textOf } from './texts.js';

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {readonly {value: string, label: string}[]} [choices]
 * @property {string} [type] of an input; `lines` is several
 * @property {string} [on] a checkbox that means this
 * @property {string} [first] what it has at first
 * @property {string} [hint]
 * @property {boolean} [isRequired]
 */

/**
 * A choice with its label.
 * @param {string} label @param {readonly (readonly [value: string, text: string])[]} choices @param {string} chosen
 * @param {import('./element.js').Props} [props] of the choice itself
 */
export function choice(label, choices, chosen, props = {}) {
  const select = h(
    'select',
    props,
    choices.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  );
  return { select, node: h('label.field', label, select) };
}

/** What there is to choose, as people call it. @param {string} name of the option @param {readonly string[]} words */
export const labelled = (name, words) =>
  words.map((value) => ({ value, label: textOf(`${name}.${value}`) ?? value }));

/** A field with its label. @param {Field} field @param {string} [list] id of what is suggested */
export function control({ label, choices, type = 'text', on, first = '', hint, isRequired }, list) {
  const node = choices
    ? h(
        'select',
        choices.map((choice) => h('option', { value: choice.value }, choice.label)),
      )
    : type === 'lines'
      ? h('textarea', { rows: 2, placeholder: hint, autocomplete: 'off' })
      : h('input', {
          type: on ? 'checkbox' : type,
          list,
          placeholder: hint,
          required: isRequired,
          autocomplete: 'off',
          spellcheck: 'false',
        });
  node.value = first;
  const parts = on ? [node, ` ${label}`] : [label, node];
  return { node, label: h('label', { class: on ? 'checkbox' : 'field' }, parts) };
}
