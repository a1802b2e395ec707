import { call, callJson, readNdjson } from './api.js';
import { headersOf, isTable } from './feed.js';
import { labelled } from './field.js';
import { findPhoto, rememberPhotos } from './review/local-photos.js';
import { say } from './texts.js';

/** Files per request: small steps show progress, and a failed request loses little. */
const FILES_PER_REQUEST = 6;
/**
 * Uploads files: each table in a request of its own, images in small groups.
 * @param {string} path
 * @param {File[]} files
 * @param {(done: number) => void} onProgress
 */
async function uploadFiles(path, files, onProgress) {
  let done = 0;
  const images = files.filter((file) => !isTable(file));
  for (const table of files.filter(isTable)) {
    await call(path, { method: 'POST', headers: headersOf(table), body: table, noTimeout: true });
    onProgress(++done);
  }
  for (let from = 0; from < images.length; from += FILES_PER_REQUEST) {
    const group = images.slice(from, from + FILES_PER_REQUEST);
    const body = new FormData();
    for (const file of group) body.append('file', file, file.name);
    await call(path, { method: 'POST', body, noTimeout: true });
    done += group.length;
    onProgress(done);
  }
}

/** @param {File[]} files */
const nameOf = (files) =>
  say('batch.chosenNames', {
    count: files.length,
    name: files[0]?.name ?? '',
    others: files.length - 1,
  }).slice(-200);

/**
 * Creates a batch, uploads its files and seals it. Nothing is left of it if a file is refused.
 * @param {{files: File[], name: string, classify: boolean, options: object}} request
 * @param {(done: number) => void} onProgress
 */
export async function startBatch({ files, name, classify, options }, onProgress) {
  const operations = ['remove-background', ...(classify ? ['classify'] : [])];
  const json = { operations, options, name: name || nameOf(files) };
  const batch = await callJson('/intake/v1/batches', { method: 'POST', json });
  try {
    await uploadFiles(batch.links.items, files, onProgress);
    rememberPhotos(batch.links.self, files);
    await call(`${batch.links.self}/seal`, { method: 'POST' });
  } catch (error) {
    await call(batch.links.self, { method: 'DELETE' }).catch(() => {}); // the first error says why
    throw error;
  }
  return batch;
}

/**
 * Returns a batch as a run to watch.
 * @param {any} batch
 * @returns {import('./run-view.js').Run}
 */
export function batchRun({ id, name, links }) {
  return {
    title: name ?? id,
    self: links.self,
    events: links.events,
    cancel: `${links.self}/cancel`,
    review: links.self,
    async *images() {
      const rows = readNdjson(await call(links.results));
      for await (const { row, customId, cutout, classification } of rows) {
        const subtitle = classification?.category?.label;
        const photo = async () =>
          findPhoto(links.self, { row, customId }) ??
          (await call(`${links.review}/${row}/photo`)).blob();
        if (cutout) yield { name: customId, path: cutout.url, subtitle, photo };
      }
    },
    async *errors() {
      for await (const { line, customId = '', problem } of readNdjson(await call(links.errors))) {
        yield { line: String(line), name: customId, reason: problem.detail };
      }
    },
    downloads: [
      { label: say('run.zip'), path: links.archive, name: `${id}.zip` },
      ...labelled('run', ['manifest', 'results', 'errors']).map(({ value, label }) => ({
        label,
        path: links[value],
        name: `${id}-${value}.ndjson`,
      })),
    ],
  };
}
