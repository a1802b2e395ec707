import { call, callJson, linesOf } from './api.js';

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
 * Hands a feed in, by its address or as a file.
 * @param {{url: string, file: File | undefined, onWhite: boolean}} wish
 */
export function startFeed({ url, file, onWhite }) {
  const background = onWhite ? 'white' : 'none';
  if (!file) return callJson(FEEDS, { method: 'POST', json: { url, export: { background } } });
  const ending = /\.([^.]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? '';
  const query = new URLSearchParams({ background, fileName: file.name });
  const headers = { 'content-type': MEDIA_TYPES[ending] ?? 'text/csv' };
  return callJson(`${FEEDS}?${query}`, { method: 'POST', headers, body: file, endless: true });
}

/** Links name the host as marketplaces reach it; this page asks where it is itself. @param {string} link */
const hereOf = (link) => {
  const { pathname, search } = new URL(link, location.href);
  return pathname + search;
};

/**
 * The latest run of a feed as a run to watch.
 * @param {any} feed
 * @returns {import('./run-view.js').Run}
 */
export function feedRun({ id, source, run }) {
  const { self, report, export: exported, cancel } = run.links;
  const lines = async function* () {
    yield* linesOf(await call(report, { headers: { accept: 'application/x-ndjson' } }));
  };
  return {
    title: source.url ?? 'Feed from a file',
    self,
    events: `${self}/events`,
    cancel,
    async *pictures() {
      for await (const line of lines()) {
        for (const { picture } of line.images ?? []) {
          if (picture) yield { name: line.title ?? line.id, path: hereOf(picture) };
        }
      }
    },
    async *faults() {
      for await (const { kind, line, id: name = '', images = [], reasons = [] } of lines()) {
        const where = String(line);
        if (kind === 'rejected') yield { where, name, reason: reasons.join('; ') };
        for (const { outcome, reason } of images) {
          if (outcome === 'failed') yield { where, name, reason };
        }
      }
    },
    downloads: [
      { label: 'Export with new pictures', path: exported, name: `${id}-export` },
      { label: 'Report', path: `${report}?format=csv`, name: `${id}-report.csv` },
    ],
  };
}
