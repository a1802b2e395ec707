// @ts-check
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const REPORT_MILLIS = 120_000;
const POLL_MILLIS = 50;

/**
 * Returns what `/readyz` misses; undefined if it answers 200.
 * @param {string} url
 */
async function missingOf(url) {
  try {
    const response = await fetch(`${url}/readyz`);
    if (response.status === 200) return undefined;
    const { detail } = /** @type {{ detail?: string }} */ (await response.json());
    return detail ?? `/readyz answers ${response.status}`;
  } catch {
    return 'the gateway does not answer yet';
  }
}

/**
 * Resolves when `/readyz` answers 200. Never gives up: on a host short of memory the parts are killed and started again
 * until there is some. A part that ends by itself ends the start, see `supervise`.
 * @param {string} url
 * @param {(text: string) => void} onSlow receives what is missing, every two minutes
 * @param {number} [reportMillis]
 */
export async function untilReady(url, onSlow, reportMillis = REPORT_MILLIS) {
  let reportAt = performance.now() + reportMillis;
  for (;;) {
    const missing = await missingOf(url);
    if (missing === undefined) return;
    if (performance.now() > reportAt) {
      onSlow(missing);
      reportAt += reportMillis;
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
 * Returns the message printed when everything is ready. Only the start that generated the development key shows it, and
 * only to a person: files and the logs of service managers remember what they are given.
 * @param {object} facts
 * @param {string} facts.root
 * @param {string} facts.home
 * @param {string} facts.url
 * @param {import('./development-key.mjs').DevelopmentKey} facts.developer
 * @param {Pick<import('./terminal.mjs').Terminal, 'isWatched' | 'paint'>} terminal
 */
export function banner({ root, home, url, developer: { key, file, isNew } }, { isWatched, paint }) {
  const isShown = isNew && isWatched;
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

  Console        ${isShown ? consoleLink(url, key) : url}
  Documentation  ${url}/docs
  Key            ${isShown ? `${key}   ${paint('dim', `(shown once; stored in ${stored})`)}` : `in ${stored}`}
  Logs           ${relativeToCaller(join(home, 'logs'))}

Remove a background:

  curl --fail-with-body ${url}/bg/v1/background-removals -H "Authorization: Bearer ${shellKey}" \\
    -F image=@${relativeToCaller(join(root, 'docs/pictures/before.jpg'))} -o cut-out.png

${paint('dim', 'Press Ctrl-C to stop.')}
`;
}
