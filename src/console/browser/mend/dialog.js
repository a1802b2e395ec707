import { backgroundPicker } from '../background-picker.js';
import { fill, h } from '../element.js';
import { errorBox } from '../error-box.js';
import { say } from '../texts.js';

/** @param {string} label @param {string} key @param {() => void} onclick @param {string} [className] */
const button = (label, key, onclick, className = '') =>
  h('button', { class: className, onclick, title: `${label} (${key})` }, label);

/**
 * The dialog with the picture and the buttons of the brush.
 * @param {string} name of the picture
 * @param {ReturnType<typeof import('./layers.js').createLayers>} layers
 * @param {import('./tool.js').Tool} tool
 * @param {Record<'undo' | 'redo' | 'compare' | 'zoomIn' | 'zoomOut' | 'fit' | 'help' | 'submit', () => void>} actions
 * @param {Record<string, unknown>} listeners of the dialog
 */
export function createDialog(name, layers, tool, actions, listeners) {
  const cursor = h('div.mend-cursor', { 'aria-hidden': true });
  const stage = h(
    'div.mend-stage',
    { tabindex: 0, role: 'application', 'aria-label': say('mend.stage', { name }) },
    layers.node,
    cursor,
  );
  const add = button(say('mend.add'), 'A', () => tool.setMode('add'));
  const erase = button(say('mend.erase'), 'E', () => tool.setMode('erase'));
  const undo = button(say('review.undo'), 'U', actions.undo);
  const redo = button(say('mend.redo'), say('key.redo'), actions.redo);
  const compare = button(say('mend.before'), 'B', actions.compare);
  const save = button(say('mend.save'), say('key.enter'), actions.submit, 'primary');
  const size = h('input', {
    type: 'range',
    min: 0,
    max: 100,
    'aria-label': say('mend.size'),
    oninput: () => tool.setSize(Number(size.value)),
  });
  const state = h('p.fine', { role: 'status' });
  const errorPlace = h('div');
  const node = h(
    'dialog.mend',
    { 'aria-label': say('mend.title', { name }), ...listeners },
    h(
      'div.mend-bar',
      h('div.background-picker', { role: 'group', 'aria-label': say('mend.brush') }, add, erase),
      h('label.mend-size', say('mend.sizeShort'), size),
      h('div.buttons', undo, redo, compare),
      h(
        'div.buttons',
        button('−', '-', actions.zoomOut),
        button(say('mend.fit'), '0', actions.fit),
        button('+', '+', actions.zoomIn),
        h('button.quiet.review-keys', { onclick: actions.help }, say('keys.title')),
      ),
    ),
    stage,
    h(
      'div.mend-foot',
      backgroundPicker(layers.node, ['checkerboard', 'white', 'dark']),
      state,
      errorPlace,
      h('div.buttons', h('button', { onclick: () => node.close() }, say('dialog.cancel')), save),
    ),
  );

  return {
    node,
    stage,
    save,
    /** @param {string} text */
    say(text) {
      state.textContent = text;
    },
    /** Shows an error, or none. @param {unknown} [error] */
    showError(error) {
      fill(errorPlace, error !== undefined && errorBox(error));
    },
    /** @param {string} text */
    warn(text) {
      fill(errorPlace, h('p.error-box', { role: 'alert' }, text));
    },
    /** @param {[number, number]} place on the stage @param {number} radius there */
    drawCursor([x, y], radius) {
      cursor.style.width = cursor.style.height = `${2 * radius}px`;
      cursor.style.transform = `translate(${x - radius}px, ${y - radius}px)`;
      cursor.dataset.mode = tool.mode();
    },
    /** @param {{canUndo: boolean, canRedo: boolean, isBefore: boolean}} now */
    draw({ canUndo, canRedo, isBefore }) {
      add.setAttribute('aria-pressed', String(tool.mode() === 'add'));
      erase.setAttribute('aria-pressed', String(tool.mode() === 'erase'));
      compare.setAttribute('aria-pressed', String(isBefore));
      undo.disabled = !canUndo;
      redo.disabled = !canRedo;
      save.disabled = !canUndo;
      stage.dataset.view = isBefore ? 'before' : 'after';
      size.value = String(tool.size());
    },
  };
}
