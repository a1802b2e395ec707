import { h, openDialog } from '../element.js';
import { say } from '../texts.js';

const KEYS = [
  ['← →  ↑ ↓', say('keys.another')],
  ['A', say('keys.approve')],
  ['R', say('keys.reject')],
  ['M', say('mend.open')],
  ['U', say('keys.undoDecision')],
  [`G  ${say('key.enter')}`, say('keys.view')],
  [say('key.escape'), say('keys.back')],
  [say('key.homeEnd'), say('keys.ends')],
  ['?', say('keys.help')],
];

/** Opens the list of keys. @param {readonly (readonly string[])[]} [keys] */
export function openKeyHelp(keys = KEYS) {
  const dialog = openDialog(
    { class: 'panel', 'aria-labelledby': 'keys-title' },
    h(
      'div.stack',
      h('h2', { id: 'keys-title' }, say('keys.title')),
      h(
        'dl.facts',
        keys.flatMap(([key, text]) => [h('dt', h('kbd', key)), h('dd', text)]),
      ),
      h('div.buttons', h('button.primary', { onclick: () => dialog.close() }, say('dialog.close'))),
    ),
  );
}
