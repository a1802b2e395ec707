// @ts-check
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from './start-error.mjs';

const READY_MILLIS = 120_000;
const POLL_MILLIS = 50;

/**
 * Resolves when `/readyz` answers 200.
 * @param {string} url
 * @throws Refusal with what it answered last, where that takes too long
 */
export async function untilReady(url) {
  const until = performance.now() + READY_MILLIS;
  let last = 'nothing';
  for (;;) {
    try {
      const response = await fetch(`${url}/readyz`);
      if (response.status === 200) return;
      last = `${response.status} ${await response.text()}`;
    } catch {
      // it does not listen yet
    }
    if (performance.now() > until) {
      throw new Refusal(`${url}/readyz did not become ready. Its last answer: ${last}`);
    }
    await delay(POLL_MILLIS);
  }
}

/** @param {string} path as a word of a shell */
const shellWord = (path) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/**
 * Opens the console signed in. What stands behind `#` stays in the browser.
 * @param {string} url
 * @param {string} key
 */
export const consoleLink = (url, key) => `${url}/#key=${encodeURIComponent(key)}`;

/**
 * What a person reads when all is up.
 * @param {object} facts
 * @param {string} facts.root
 * @param {string} facts.home
 * @param {string} facts.url
 * @param {string} facts.key
 * @param {import('./terminal.mjs').Say['paint']} paint
 */
export function banner({ root, home, url, key }, paint) {
  const here = process.env.INIT_CWD ?? process.cwd();
  /** @param {string} path */
  const fromHere = (path) => {
    const short = relative(here, path);
    return shellWord(short.startsWith('..') ? path : short);
  };
  return `
${paint('bold', `Selvage runs at ${url}`)}

  Console        ${consoleLink(url, key)}
  Documentation  ${url}/docs
  Key            ${key}   ${paint('dim', `(kept in ${fromHere(join(home, 'dev-key'))})`)}
  Logs           ${fromHere(join(home, 'logs'))}

Cut a garment out:

  curl -fsS ${url}/bg/v1/background-removals -H 'Authorization: Bearer ${key}' \\
    -F image=@${fromHere(join(root, 'docs/pictures/before.jpg'))} -o cut-out.png

${paint('dim', 'Ctrl-C ends it.')}
`;
}
