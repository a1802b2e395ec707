import { call, callJson, pathOf, pause, readNdjson } from './api.js';
import { fill, h } from './element.js';
import { errorBox } from './error-box.js';
import { feedFields } from './feed-fields.js';
import { say } from './texts.js';

const POLL_MILLIS = 500;

const FEEDS = '/intake/v1/feeds';
/** @type {Readonly<Record<string, string>>} */
const MEDIA_TYPES = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  xml: 'application/xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
};

/** @param {File} file */
const extensionOf = ({ name }) => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** Whether a file is a feed or a list, by its name. @param {File} file */
export const isTable = (file) =>
  extensionOf(file) in MEDIA_TYPES || /^(txt|json|gz|zip)$/.test(extensionOf(file));

/** The bytes of other files, also of compressed ones, decide what they are. @param {File} file */
export const headersOf = (file) => ({
  'content-type': MEDIA_TYPES[extensionOf(file)] ?? 'application/octet-stream',
});

/** @param {any} found what an inspection found */
function recognisedText({ format, preset, columns, rows, rejected, sample, problem, notes }) {
  if (problem) return problem.detail;
  const images = sample.reduce(
    (/** @type {number} */ sum, /** @type {any} */ row) => sum + row.images.length,
    0,
  );
  const from = ['id', 'imageLink', 'additionalImageLink'].flatMap((name) => columns[name] ?? []);
  const counts = { usable: rows - rejected, rows, sample: sample.length, images };
  return [
    say('feed.recognised', { format, preset, columns: from.join(', '), ...counts }),
    ...notes.map((/** @type {any} */ note) => `${note.detail}.`),
  ].join(' ');
}

/**
 * Says what is recognised in a file, in words too.
 * @param {File} file
 * @param {object} [mapping]
 */
export async function inspectFeed(file, mapping) {
  const query = new URLSearchParams({ fileName: file.name });
  if (mapping) query.set('mapping', JSON.stringify(mapping));
  const init = { method: 'POST', headers: headersOf(file), body: file, noTimeout: true };
  const found = await callJson(`${FEEDS}/inspect?${query}`, init);
  return { ...found, text: `${file.name}: ${recognisedText(found)}` };
}

/** @param {string} path @param {File | undefined} file @param {Record<string, string>} [query] */
const postFeed = (path, file, query = {}) =>
  callJson(`${path}?${new URLSearchParams(query)}`, {
    method: 'POST',
    noTimeout: true,
    ...(file && { headers: headersOf(file), body: file }),
  });

/** Waits until a run has been read, and returns it. @param {any} started */
async function whenRead(started) {
  let run = started;
  while (run.status === 'open') {
    await pause(POLL_MILLIS);
    run = await callJson(run.links.self);
  }
  return run;
}

/**
 * @typedef {object} FeedRequest
 * @property {string} url
 * @property {File | undefined} file
 * @property {boolean} onWhite
 * @property {Record<string, any>} settings as `feedFields` reads them
 */

/**
 * Creates a feed from a URL or an uploaded file.
 * @param {FeedRequest} request
 * @param {boolean} [isDry]
 */
export async function startFeed({ url, file, onWhite, settings }, isDry = false) {
  const background = onWhite ? 'white' : 'none';
  if (!file) {
    const json = { url, export: { background }, ...settings };
    return callJson(`${FEEDS}?dryRun=${isDry}`, { method: 'POST', json });
  }
  const { mapping, format, options, webhook, ...others } = settings;
  // Secrets have no place in an address: they are set before the first run that fetches.
  const isLater = Object.values(others).some((value) => value !== null);
  const feed = await postFeed(FEEDS, file, {
    background,
    dryRun: String(isDry || isLater),
    fileName: file.name,
    ...(mapping && { mapping: JSON.stringify(mapping) }),
    ...(format && { format }),
    ...(options && { quality: options.quality }),
    ...(webhook && { webhookUrl: webhook.url }),
  });
  if (!isLater || isDry) return feed;
  try {
    await whenRead(feed.run);
    await callJson(feed.links.self, { method: 'PATCH', json: others });
    await postFeed(feed.links.runs, file);
  } catch (error) {
    await call(feed.links.self, { method: 'DELETE' });
    throw error;
  }
  return callJson(feed.links.self);
}

/** @param {any} run a dry run that has been read */
function planText({ plan, problem }) {
  if (!plan) throw new Error(problem?.detail ?? say('feed.unread'));
  return say('feed.plan', plan);
}

/**
 * Counts what a feed would cost, before an image is fetched; keeps nothing.
 * @param {FeedRequest} request
 * @returns {Promise<string>}
 */
export async function countFeed(request) {
  const { links, run } = await startFeed(request, true);
  try {
    return planText(await whenRead(run));
  } finally {
    await call(links.self, { method: 'DELETE' });
  }
}

/**
 * The settings of a feed, and a way to run it again.
 * @param {any} feed
 * @param {(feed: any) => void} onRun
 */
function feedSettings(feed, onRun) {
  let fields = feedFields(feed);
  const fieldsPlace = h('div', fields.node);
  const place = h('div');
  const said = h('p.fine', { role: 'status' });
  const input = h('input', { type: 'file' });
  const isUploaded = !feed.source.url;

  /** @param {() => Promise<string>} act */
  const doing = (act) => async () => {
    fill(place);
    try {
      said.textContent = await act();
    } catch (error) {
      said.textContent = '';
      fill(place, errorBox(error));
    }
  };
  input.addEventListener(
    'change',
    doing(async () => {
      const [file] = input.files ?? [];
      if (!file) return '';
      const found = await inspectFeed(file, fields.read().mapping ?? feed.mapping);
      fields.suggest(found);
      return found.text;
    }),
  );
  const file = () => {
    if (!isUploaded) return undefined;
    const [chosen] = input.files ?? [];
    if (!chosen) throw new Error(say('feed.chooseFirst'));
    return chosen;
  };
  const save = async () => {
    const json = fields.read();
    const changed = Object.keys(json).length > 0;
    const saved = await callJson(feed.links.self, changed ? { method: 'PATCH', json } : {});
    fields = feedFields(saved);
    fill(fieldsPlace, fields.node);
    fill(place, h('p.fine', { role: 'status' }, say('feed.saved')));
    return '';
  };
  const run = async () => {
    await postFeed(feed.links.runs, file());
    onRun(await callJson(feed.links.self));
    return '';
  };
  const count = async () =>
    planText(await whenRead(await postFeed(feed.links.runs, file(), { dryRun: 'true' })));
  return h(
    'details.feed-settings',
    h('summary', say('feed.settings')),
    h(
      'div.stack.options',
      isUploaded && h('label.field', say('feed.current'), input),
      h(
        'div.buttons',
        h('button', { onclick: doing(run) }, say('feed.again')),
        h('button.quiet', { onclick: doing(count) }, say('feed.countOnly')),
      ),
      said,
      fieldsPlace,
      h('div.buttons', h('button', { onclick: doing(save) }, say('feed.save'))),
      place,
    ),
  );
}

/**
 * Returns the latest run of a feed as a run to watch.
 * @param {any} feed
 * @param {(feed: any) => void} onRun takes the feed when it has another run
 * @returns {import('./run-view.js').Run}
 */
export function feedRun(feed, onRun) {
  const { id, source, run } = feed;
  const { self, report, export: exported, cancel } = run.links;
  const readReport = async function* () {
    yield* readNdjson(await call(report, { headers: { accept: 'application/x-ndjson' } }));
  };
  return {
    title: source.url ?? source.fileName ?? say('feed.fromFile'),
    self,
    events: `${self}/events`,
    cancel,
    review: self,
    settings: () => feedSettings(feed, onRun),
    async *images() {
      for await (const product of readReport()) {
        for (const { picture } of product.images ?? []) {
          if (picture) yield { name: product.title ?? product.id, path: pathOf(picture) };
        }
      }
    },
    async *errors() {
      for await (const product of readReport()) {
        const { kind, id: name = '', images = [], reasons = [] } = product;
        const line = String(product.line);
        if (kind === 'rejected') yield { line, name, reason: reasons.join('; ') };
        for (const { outcome, reason, staleSince } of images) {
          if (outcome === 'failed') yield { line, name, reason };
          const since = say('feed.stale', { date: staleSince?.slice(0, 10), reason });
          if (outcome === 'stale') yield { line, name, reason: since };
        }
      }
    },
    downloads: [
      { label: say('feed.export'), path: exported, name: `${id}-export` },
      { label: say('feed.report'), path: `${report}?format=csv`, name: `${id}-report.csv` },
    ],
  };
}
