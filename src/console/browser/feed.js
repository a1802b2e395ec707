import { call, callJson, pathOf, readNdjson } from './api.js';

const FEEDS = '/intake/v1/feeds';
/** @type {Readonly<Record<string, string>>} */
const MEDIA_TYPES = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  txt: 'text/tab-separated-values',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  xml: 'application/xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
};

/**
 * Creates a feed from a URL or an uploaded file.
 * @param {{url: string, file: File | undefined, onWhite: boolean}} request
 */
export function startFeed({ url, file, onWhite }) {
  const background = onWhite ? 'white' : 'none';
  if (!file) return callJson(FEEDS, { method: 'POST', json: { url, export: { background } } });
  const extension = /\.([^.]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? '';
  const query = new URLSearchParams({ background, fileName: file.name });
  const headers = { 'content-type': MEDIA_TYPES[extension] ?? 'text/csv' };
  return callJson(`${FEEDS}?${query}`, { method: 'POST', headers, body: file, noTimeout: true });
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
        for (const { outcome, reason } of images) {
          if (outcome === 'failed') yield { line, name, reason };
        }
      }
    },
    downloads: [
      { label: 'Export with new images', path: exported, name: `${id}-export` },
      { label: 'Report', path: `${report}?format=csv`, name: `${id}-report.csv` },
    ],
  };
}
