// @ts-check
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from './start-error.mjs';

const READY_MILLIS = 120_000;
const POLL_MILLIS = 50;

/**
 * Resolves when `/readyz` answers 200.
 * @param {string} url
 * @throws StartError with its last response after two minutes
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
      // not listening yet
    }
    if (performance.now() > until) {
      throw new StartError(`${url}/readyz did not become ready. Last response: ${last}`);
    }
    await delay(POLL_MILLIS);
  }
}

/** @param {string} path quoted for a shell */
const shellWord = (path) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/**
 * Returns a link that opens the console signed in. The fragment never leaves the browser.
 * @param {string} url
 * @param {string} key
 */
const consoleLink = (url, key) => `${url}/#key=${encodeURIComponent(key)}`;

/**
 * Returns the message printed when everything is ready. Only the start that generated the development key shows it:
 * terminals and the logs of service managers remember what they show.
 * @param {object} facts
 * @param {string} facts.root
 * @param {string} facts.home
 * @param {string} facts.url
 * @param {import('./development-key.mjs').DevelopmentKey} facts.developer
 * @param {import('./terminal.mjs').Terminal['paint']} paint
 */
export function banner({ root, home, url, developer: { key, file, isNew } }, paint) {
  const here = process.env.INIT_CWD ?? process.cwd();
  /** @param {string} path */
  const relativeToCaller = (path) => {
    const short = relative(here, path);
    return shellWord(short.startsWith('..') ? path : short);
  };
  const stored = file === undefined ? 'SELVAGE_DEV_KEY' : relativeToCaller(file);
  const shellKey = file === undefined ? '$SELVAGE_DEV_KEY' : `$(cat ${stored})`;
  return `
${paint('bold', `Selvage runs at ${url}`)}

  Console        ${isNew ? consoleLink(url, key) : url}
  Documentation  ${url}/docs
  Key            ${isNew ? `${key}   ${paint('dim', `(shown once; stored in ${stored})`)}` : `in ${stored}`}
  Logs           ${relativeToCaller(join(home, 'logs'))}

Remove a background:

  curl -fsS ${url}/bg/v1/background-removals -H "Authorization: Bearer ${shellKey}" \\
    -F image=@${relativeToCaller(join(root, 'docs/pictures/before.jpg'))} -o cut-out.png

${paint('dim', 'Press Ctrl-C to stop.')}
`;
}
