import { h } from '../element.js';

const KEYS = [
  ['← →  ↑ ↓', 'Another cut-out'],
  ['A', 'Approve, and go on'],
  ['R', 'Reject, and go on'],
  ['M', 'Mend with a brush'],
  ['U', 'Undo the last decision or mending'],
  ['G or Enter', 'One cut-out, or the grid'],
  ['Esc', 'Back to the grid'],
  ['Home  End', 'The first, the last'],
  ['?', 'This help'],
];

/** Opens the list of keys. @param {readonly (readonly string[])[]} [keys] */
export function openKeyHelp(keys = KEYS) {
  const dialog = h(
    'dialog',
    { class: 'panel', 'aria-labelledby': 'keys-title', onclose: () => dialog.remove() },
    h(
      'div',
      { class: 'stack' },
      h('h2', { id: 'keys-title' }, 'Keys'),
      h(
        'dl',
        { class: 'facts' },
        keys.flatMap(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)]),
      ),
      h(
        'div',
        { class: 'buttons' },
        h('button', { class: 'primary', type: 'button', onclick: () => dialog.close() }, 'Close'),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
