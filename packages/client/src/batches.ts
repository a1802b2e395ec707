import type { Calls } from './calls.ts';
import type { DuplicatesPage } from './contract.ts';
import { followProgress } from './events.ts';
import type { BatchesClient, CutOutRowsOptions } from './interface.ts';
import { jsonPayload } from './payload.ts';
import { checkMediaType } from './response.ts';
import { reviewClient } from './reviews.ts';
import { openFile, parseJsonLines, resumable } from './stream.ts';
import type { Transport } from './transport.ts';
import { FILES, ROWS, toLines, upload } from './upload.ts';

const PATH = '/intake/v1/batches';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** Yields the rows of a report as they arrive; resumes a broken download after the last row. */
function streamRows<Row extends { row: number }>(
  transport: Transport,
  path: string,
  { after, export: policy, ...options }: CutOutRowsOptions = {},
): AsyncGenerator<Row> {
  let lastRow = after;
  return resumable(transport, options, async function* (signal, onProgress) {
    const { response, chunks, close } = await transport.stream(
      { method: 'GET', path, query: { after: lastRow, export: policy } },
      signal,
    );
    try {
      checkMediaType(response, ['application/x-ndjson']);
      for await (const row of parseJsonLines<Row>(chunks)) {
        onProgress();
        lastRow = row.row;
        yield row;
      }
    } finally {
      close();
    }
  });
}

/** The methods of `client.batches`. */
export function batchesClient(calls: Calls): BatchesClient {
  const { get, getImage, post, readPages, remove } = calls;

  return {
    create: (body = {}, options) => post(PATH, options, jsonPayload(body)),
    addRows: (id, rows, options) => upload(calls, pathOf(id), toLines(rows), ROWS, options),
    addFiles: (id, files, options) => upload(calls, pathOf(id), files, FILES, options),
    seal: (id, options) => post(`${pathOf(id)}/seal`, options),
    get: (id, options) => get(pathOf(id), options),
    events: (id, options) => followProgress(calls, `${pathOf(id)}/events`, options),
    results: (id, options) => streamRows(calls, `${pathOf(id)}/results`, options),
    errors: (id, options) => streamRows(calls, `${pathOf(id)}/errors`, options),
    manifest: (id, options) => streamRows(calls, `${pathOf(id)}/manifest`, options),
    archive: (id, { after, export: policy, ...options } = {}) =>
      openFile(calls, `${pathOf(id)}/archive`, { after, export: policy }, options),
    cutout: (id, row, options) => getImage(`${pathOf(id)}/rows/${row}/cutout`, options),
    garment: (id, row, index, options) =>
      getImage(`${pathOf(id)}/rows/${row}/garments/${index}`, options, 'image/png'),
    review: (id) => reviewClient(calls, pathOf(id)),
    duplicates: (id, options) =>
      readPages(`${pathOf(id)}/duplicates`, ({ groups }: DuplicatesPage) => groups, options),
    cancel: (id, options) => post(`${pathOf(id)}/cancel`, options),
    delete: (id, options) => remove(pathOf(id), options),
  };
}
