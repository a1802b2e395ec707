import { ApiError, call, pause, readLines } from './api.js';

/** After a connection was lost; milliseconds. */
const RECONNECT_MILLIS = 2000;

/**
 * @typedef {object} ServerEvent
 * @property {string} name
 * @property {string} id
 * @property {any} data
 */

/** @param {AsyncIterable<string>} lines @returns {AsyncGenerator<ServerEvent>} */
async function* parseEvents(lines) {
  let event = { name: '', id: '', data: '' };
  for await (const line of lines) {
    if (line === '') {
      if (event.data) yield { ...event, data: JSON.parse(event.data) };
      event = { name: '', id: '', data: '' };
      continue;
    }
    const [, field, value = ''] = /^(event|id|data): ?(.*)$/.exec(line) ?? [];
    if (field === 'event') event.name = value;
    if (field === 'id') event.id = value;
    if (field === 'data') event.data += value;
  }
}

/**
 * Yields server-sent events up to `completed`, and reconnects after connection errors. EventSource
 * cannot send the header that proves a request to come from the console.
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<ServerEvent>}
 */
export async function* listen(path, signal) {
  let last = '';
  while (!signal.aborted) {
    try {
      const headers = last ? { 'last-event-id': last } : {};
      const response = await call(path, { noTimeout: true, signal, headers });
      if (response.status === 204) return;
      for await (const event of parseEvents(readLines(response))) {
        last = event.id || last;
        yield event;
        if (event.name === 'completed') return;
      }
    } catch (error) {
      if (signal.aborted) return;
      const isRetryable = !(error instanceof ApiError) || error.status === 0 || error.status >= 429;
      if (!isRetryable) throw error;
    }
    await pause(RECONNECT_MILLIS, signal).catch(() => {});
  }
}
