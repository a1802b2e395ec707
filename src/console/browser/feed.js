import { call, callJson, pathOf, pause, readNdjson } from './api.js';

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

/** The bytes of other files, also of compressed ones, decide what they are. @param {File} file */
function headersOf(file) {
  const extension = /\.([^.]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? '';
  return { 'content-type': MEDIA_TYPES[extension] ?? 'application/octet-stream' };
}

/** @param {File} file @param {string} mapping */
const readingOf = ({ name }, mapping) => ({ fileName: name, ...(mapping && { mapping }) });

/**
 * Says in words what is recognised in a file.
 * @param {File} file
 * @param {string} mapping JSON, or empty
 */
export async function describeFeed(file, mapping) {
  const query = new URLSearchParams(readingOf(file, mapping));
  const init = { method: 'POST', headers: headersOf(file), body: file, noTimeout: true };
  const found = await callJson(`${FEEDS}/inspect?${query}`, init);
  const { preset, format, rows, rejected, sample, problem, notes } = found;
  if (problem) return `${file.name}: ${problem.detail}`;
  const images = sample.reduce(
    (/** @type {number} */ sum, /** @type {any} */ row) => sum + row.images.length,
    0,
  );
  return [
    `${file.name}: ${format}, read as ${preset}.`,
    `${rows - rejected} of the first ${rows} products can be used;`,
    `the first ${sample.length} have ${images} images.`,
    ...notes.map((/** @type {any} */ note) => `${note.detail}.`),
  ].join(' ');
}

/**
 * Creates a feed from a URL or an uploaded file.
 * @param {{url: string, file: File | undefined, onWhite: boolean, mapping: string, isDry?: boolean}} request
 */
export function startFeed({ url, file, onWhite, mapping, isDry = false }) {
  const dryRun = String(isDry);
  const background = onWhite ? 'white' : 'none';
  const named = mapping && { mapping: JSON.parse(mapping) };
  const json = { url, export: { background }, ...named };
  if (!file) return callJson(`${FEEDS}?dryRun=${dryRun}`, { method: 'POST', json });
  const query = new URLSearchParams({ background, dryRun, ...readingOf(file, mapping) });
  const headers = headersOf(file);
  return callJson(`${FEEDS}?${query}`, { method: 'POST', headers, body: file, noTimeout: true });
}

/**
 * Counts what a feed would cost, before an image is fetched; keeps nothing.
 * @param {{url: string, file: File | undefined, onWhite: boolean, mapping: string}} request
 * @returns {Promise<string>}
 */
export async function countFeed(request) {
  const { id, run: started } = await startFeed({ ...request, isDry: true });
  try {
    let run = started;
    while (run.status === 'open') {
      await pause(POLL_MILLIS);
      run = await callJson(started.links.self);
    }
    if (!run.plan) throw new Error(run.problem?.detail ?? 'The feed was not read');
    const { products, links, photos, unreadable, units } = run.plan;
    return `${products} products, ${links} links, ${photos} photos, ${unreadable} unreadable, costs ${units} units at most`;
  } finally {
    await call(`${FEEDS}/${id}`, { method: 'DELETE' });
  }
}

/**
 * Returns the latest run of a feed as a run to watch.
 * @param {any} feed
 * @returns {import('./run-view.js').Run}
 */
export function feedRun({ id, source, run }) {
  const { self, report, export: exported, cancel } = run.links;
  const readReport = async function* () {
    yield* readNdjson(await call(report, { headers: { accept: 'application/x-ndjson' } }));
  };
  return {
    title: source.url ?? 'Feed from a file',
    self,
    events: `${self}/events`,
    cancel,
    review: self,
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
          const since = `Stale since ${staleSince?.slice(0, 10)}: ${reason}`;
          if (outcome === 'stale') yield { line, name, reason: since };
        }
      }
    },
    downloads: [
      { label: 'Export with new images', path: exported, name: `${id}-export` },
      { label: 'Report', path: `${report}?format=csv`, name: `${id}-report.csv` },
    ],
  };
}
