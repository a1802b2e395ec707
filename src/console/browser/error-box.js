import { ApiError } from './api.js';
import { fill, h } from './element.js';
import { say, textOf } from './texts.js';

/**
 * Shows an error: its title, what to do about it, and the details.
 * @param {unknown} error
 */
export function errorBox(error) {
  const { type, title, detail, errors, requestId } = toApiError(error);
  const advice = textOf(`advice.${type}`) ?? say('advice.other');
  const issues = errors.filter((issue) => !detail.includes(issue.detail)).slice(0, 5);
  return h(
    'div.error-box',
    { role: 'alert' },
    h('p', h('b', `${title}. `), advice),
    detail && h('p.fine', detail),
    issues.length > 0 &&
      h(
        'ul.fine',
        issues.map((issue) => h('li', `${issue.pointer || say('error.body')}: ${issue.detail}`)),
      ),
    requestId && h('p.fine', say('error.requestId'), ' ', h('code', requestId)),
  );
}

/** @param {unknown} error */
function toApiError(error) {
  if (error instanceof ApiError) return error;
  console.error(error);
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiError({ type: 'page-failed', detail });
}

/**
 * Shows the error of some work in its place, which is emptied first.
 * @param {Element} place @param {() => unknown} work
 */
export async function attempt(place, work) {
  fill(place);
  try {
    await work();
  } catch (error) {
    fill(place, errorBox(error));
  }
}
