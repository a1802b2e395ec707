import { ADVICE } from './advice.js';
import { Fault } from './api.js';
import { h } from './element.js';

/**
 * A fault as the person at the page reads it: what to do, then what exactly was wrong.
 * @param {unknown} error
 */
export function faultBox(error) {
  const fault = asFault(error);
  const advice = ADVICE[fault.type] ?? 'Try again, and tell the operator if it stays.';
  const errors = fault.errors.slice(0, 5);
  return h(
    'div',
    { class: 'fault', role: 'alert' },
    h('p', {}, h('b', {}, `${fault.title}. `), advice),
    fault.detail && h('p', { class: 'fine' }, fault.detail),
    errors.length > 1 &&
      h(
        'ul',
        { class: 'fine' },
        errors.map(({ pointer, detail }) => h('li', {}, `${pointer || 'Body'}: ${detail}`)),
      ),
    fault.requestId && h('p', { class: 'fine' }, 'Request id ', h('code', {}, fault.requestId)),
  );
}

/** @param {unknown} error */
function asFault(error) {
  if (error instanceof Fault) return error;
  console.error(error);
  const detail = error instanceof Error ? error.message : String(error);
  return new Fault({ type: 'internal-error', title: 'The page failed', detail });
}
