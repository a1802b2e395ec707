import { checkMediaType, readPicture } from './answer.ts';
import type { Batch } from './contract.ts';
import { progressOf } from './events.ts';
import type { BatchesClient, CallOptions, RowsOptions } from './interface.ts';
import { jsonPayload, oneTime } from './payload.ts';
import { jsonLines, resumed } from './stream.ts';
import type { Transport } from './transport.ts';
import { asLines, FILES, ROWS, upload } from './upload.ts';

const PATH = '/intake/v1/batches';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

/** Rows of a report as they come; a download that breaks off goes on after the row that came last. */
function rowsOf<Row extends { row: number }>(
  transport: Transport,
  path: string,
  { after, ...options }: RowsOptions = {},
): AsyncGenerator<Row> {
  let last = after;
  return resumed(transport, options, async function* (caller, heard) {
    const query = { after: last };
    const { response, pieces, close } = await transport.stream(
      { method: 'GET', path, query },
      caller,
    );
    try {
      checkMediaType(response, ['application/x-ndjson']);
      for await (const row of jsonLines<Row>(pieces)) {
        heard();
        last = row.row;
        yield row;
      }
    } finally {
      close();
    }
  });
}

/** Catalogues handed in row by row. */
export function batchesClient(transport: Transport): BatchesClient {
  const { ask, call } = transport;
  const deed = (path: string, options: CallOptions | undefined) =>
    ask<Batch>({ method: 'POST', path, headers: oneTime() }, options);

  return {
    create(wish = {}, options) {
      const sending = { path: PATH, body: jsonPayload(wish), headers: oneTime() };
      return ask({ method: 'POST', ...sending }, options);
    },
    addRows: (id, rows, options) => upload(transport, pathOf(id), asLines(rows), ROWS, options),
    addFiles: (id, files, options) => upload(transport, pathOf(id), files, FILES, options),
    seal: (id, options) => deed(`${pathOf(id)}/seal`, options),
    get: (id, options) => ask({ method: 'GET', path: pathOf(id) }, options),
    events: (id, options) => progressOf(transport, `${pathOf(id)}/events`, options),
    results: (id, options) => rowsOf(transport, `${pathOf(id)}/results`, options),
    errors: (id, options) => rowsOf(transport, `${pathOf(id)}/errors`, options),
    manifest: (id, options) => rowsOf(transport, `${pathOf(id)}/manifest`, options),
    cutout: (id, row, options) =>
      call({ method: 'GET', path: `${pathOf(id)}/rows/${row}/cutout` }, readPicture(), options),
    cancel: (id, options) => deed(`${pathOf(id)}/cancel`, options),
    delete: (id, options) => ask({ method: 'DELETE', path: pathOf(id) }, options),
  };
}
