import { callJson } from '../api.js';
import { fill, h, openDialog } from '../element.js';
import { errorBox } from '../error-box.js';
import { say } from '../texts.js';

const DEFAULT_PERCENT = 90;

/**
 * Opens a dialog that approves what is pending from a confidence on, and says before how many that are.
 * @param {string} path of the batch or run
 * @param {(approved: number) => void} onDone
 */
export async function openBulkApproval(path, onDone) {
  /** @type {{pending: {confidence: number, rows: number}[]}} */
  const { pending } = await callJson(`${path}/review/summary`);
  const input = h('input', {
    type: 'number',
    min: 0,
    max: 100,
    step: 0.1,
    value: DEFAULT_PERCENT,
    required: true,
    oninput: preview,
  });
  const result = h('p', { role: 'status' });
  const errorPlace = h('div');
  const submitButton = h('button.primary', { type: 'submit' }, say('review.approve'));
  const dialog = openDialog(
    { class: 'panel', 'aria-labelledby': 'bulk-title' },
    h(
      'form.stack',
      { onsubmit: submit },
      h('h2', { id: 'bulk-title' }, say('bulk.title')),
      h('label.field', say('bulk.from'), input),
      result,
      h('p.fine', say('bulk.note')),
      errorPlace,
      h(
        'div.buttons',
        submitButton,
        h('button', { onclick: () => dialog.close() }, say('dialog.cancel')),
      ),
    ),
  );

  const minThousandths = () => Math.round(Number(input.value) * 10);

  function preview() {
    const isValid = input.checkValidity();
    const included = pending.filter(
      ({ confidence }) => Math.round(confidence * 1000) >= minThousandths(),
    );
    const rows = included.reduce((sum, one) => sum + one.rows, 0);
    result.textContent = isValid ? say('bulk.count', { count: rows }) : say('bulk.range');
    submitButton.disabled = !isValid || rows === 0;
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    submitButton.disabled = true;
    try {
      const json = { decision: 'approved', minConfidence: minThousandths() / 1000 };
      const { approved } = await callJson(`${path}/review`, { method: 'POST', json });
      dialog.close();
      onDone(approved);
    } catch (error) {
      fill(errorPlace, errorBox(error));
      submitButton.disabled = false;
    }
  }

  preview();
  input.select();
}
