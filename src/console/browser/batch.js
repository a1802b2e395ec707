import { call, callJson, linesOf } from './api.js';

/** So many files go up in one request: small steps show progress, and a broken one loses little. */
const FILES_AT_ONCE = 6;
/** @type {Readonly<Record<string, string>>} */
const LISTS = { csv: 'text/csv', ndjson: 'application/x-ndjson', jsonl: 'application/x-ndjson' };

/** @param {string} name */
const endingOf = (name) => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** @param {File} file */
const listTypeOf = (file) => LISTS[endingOf(file.name)];

/**
 * Hands files in: pictures in small groups, a list as it is.
 * @param {string} path
 * @param {File[]} files
 * @param {(done: number) => void} onProgress
 */
async function upload(path, files, onProgress) {
  let done = 0;
  const pictures = files.filter((file) => !listTypeOf(file));
  for (const list of files.filter((file) => listTypeOf(file))) {
    const headers = { 'content-type': listTypeOf(list) ?? '' };
    await call(path, { method: 'POST', headers, body: list, endless: true });
    onProgress(++done);
  }
  for (let from = 0; from < pictures.length; from += FILES_AT_ONCE) {
    const group = pictures.slice(from, from + FILES_AT_ONCE);
    const body = new FormData();
    for (const file of group) body.append('file', file, file.name);
    await call(path, { method: 'POST', body, endless: true });
    done += group.length;
    onProgress(done);
  }
}

/**
 * Opens a batch, fills it and seals it.
 * @param {{files: File[], name: string, classify: boolean}} wish
 * @param {(done: number) => void} onProgress
 */
export async function startBatch({ files, name, classify }, onProgress) {
  const operations = ['remove-background', ...(classify ? ['classify'] : [])];
  const json = { operations, ...(name && { name }) };
  const batch = await callJson('/intake/v1/batches', { method: 'POST', json });
  await upload(batch.links.items, files, onProgress);
  await call(`${batch.links.self}/seal`, { method: 'POST' });
  return batch;
}

/**
 * A batch as a run to watch.
 * @param {any} batch
 * @returns {import('./run-view.js').Run}
 */
export function batchRun({ id, name, links }) {
  return {
    title: name ?? id,
    self: links.self,
    events: links.events,
    cancel: `${links.self}/cancel`,
    async *pictures() {
      for await (const { customId, cutout, classification } of linesOf(await call(links.results))) {
        const garment = classification?.category?.label;
        if (cutout) yield { name: customId, path: cutout.url, more: garment };
      }
    },
    async *faults() {
      for await (const { line, customId = '', problem } of linesOf(await call(links.errors))) {
        yield { where: String(line), name: customId, reason: problem.detail };
      }
    },
    downloads: ['manifest', 'results', 'errors'].map((what) => ({
      label: `${what.charAt(0).toUpperCase()}${what.slice(1)}`,
      path: links[what],
      name: `${id}-${what}.ndjson`,
    })),
  };
}
