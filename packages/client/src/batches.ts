import type { Batch } from './contract.ts';
import { duplicateGroups } from './duplicates.ts';
import { followProgress } from './events.ts';
import type { BatchesClient, CallOptions, CutOutRowsOptions } from './interface.ts';
import { jsonPayload } from './payload.ts';
import { checkMediaType, readImage } from './response.ts';
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
export function batchesClient(transport: Transport): BatchesClient {
  const { requestJson, request } = transport;
  const post = (path: string, options: CallOptions | undefined) =>
    requestJson<Batch>({ method: 'POST', path }, options);

  return {
    create: (body = {}, options) =>
      requestJson({ method: 'POST', path: PATH, body: jsonPayload(body) }, options),
    addRows: (id, rows, options) => upload(transport, pathOf(id), toLines(rows), ROWS, options),
    addFiles: (id, files, options) => upload(transport, pathOf(id), files, FILES, options),
    seal: (id, options) => post(`${pathOf(id)}/seal`, options),
    get: (id, options) => requestJson({ method: 'GET', path: pathOf(id) }, options),
    events: (id, options) => followProgress(transport, `${pathOf(id)}/events`, options),
    results: (id, options) => streamRows(transport, `${pathOf(id)}/results`, options),
    errors: (id, options) => streamRows(transport, `${pathOf(id)}/errors`, options),
    manifest: (id, options) => streamRows(transport, `${pathOf(id)}/manifest`, options),
    archive: (id, { after, export: policy, ...options } = {}) =>
      openFile(
        transport,
        { method: 'GET', path: `${pathOf(id)}/archive`, query: { after, export: policy } },
        options,
      ),
    cutout: (id, row, options) =>
      request({ method: 'GET', path: `${pathOf(id)}/rows/${row}/cutout` }, readImage(), options),
    garment: (id, row, index, options) =>
      request(
        { method: 'GET', path: `${pathOf(id)}/rows/${row}/garments/${index}` },
        readImage('image/png'),
        options,
      ),
    review: (id) => reviewClient(transport, pathOf(id)),
    duplicates: (id, options) => duplicateGroups(transport, pathOf(id), options),
    cancel: (id, options) => post(`${pathOf(id)}/cancel`, options),
    delete: (id, options) => requestJson({ method: 'DELETE', path: pathOf(id) }, options),
  };
}
