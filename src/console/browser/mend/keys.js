import { say } from '../texts.js';

/** What the keys of the brush do, for its help. */
export const KEYS = [
  ['A', say('keys.add')],
  ['E', say('keys.erase')],
  ['X', say('keys.change')],
  [say('key.size'), say('mend.size')],
  [say('key.zoom'), say('keys.zoom')],
  ['0', say('keys.fit')],
  [say('key.drag'), say('keys.move')],
  [`U  ${say('key.undo')}`, say('keys.undoStroke')],
  [say('key.redo'), say('keys.redo')],
  ['B', say('keys.before')],
  [say('key.paint'), say('keys.paint')],
  [say('key.enter'), say('mend.save')],
  [say('key.escape'), say('keys.leave')],
];

/**
 * Reads the keys of the brush. The space key moves the picture while it is held, and paints when it is only pressed.
 * @param {HTMLElement} stage
 * @param {object} actions
 * @param {Readonly<Record<string, () => void>>} actions.anywhere by key
 * @param {Readonly<Record<string, () => void>>} actions.onStage only there: buttons and sliders have their own
 * @param {() => void} actions.undo
 * @param {() => void} actions.redo
 * @param {() => void} actions.paint
 */
export function readKeys(stage, { anywhere, onStage, undo, redo, paint }) {
  let isSpaceDown = false;
  let hasMoved = false;

  /** @param {KeyboardEvent} event @param {string} key */
  function actionOf({ ctrlKey, metaKey, shiftKey, target }, key) {
    if (!ctrlKey && !metaKey) return anywhere[key] ?? (target === stage ? onStage[key] : undefined);
    if (key === 'z') return shiftKey ? redo : undo;
    return key === 'y' ? redo : undefined;
  }

  return {
    isSpaceDown: () => isSpaceDown,
    /** Says that the pointer has moved: a space key that is down then moves the picture. */
    noteMove() {
      hasMoved = true;
    },

    /** @param {KeyboardEvent} event */
    onKeyDown(event) {
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (key === ' ' && event.target === stage) {
        if (!isSpaceDown) hasMoved = false;
        isSpaceDown = true;
        return event.preventDefault();
      }
      const act = actionOf(event, key);
      if (!act || event.altKey) return;
      event.preventDefault();
      act();
    },

    /** @param {KeyboardEvent} event */
    onKeyUp({ key }) {
      if (key !== ' ' || !isSpaceDown) return;
      isSpaceDown = false;
      if (!hasMoved) paint();
    },
  };
}
