import type { Calls } from './calls.ts';
import type { DuplicatesPage, FeedReportLine } from './contract.ts';
import { followProgress } from './events.ts';
import type { CallOptions, FeedBody, FeedsClient } from './interface.ts';
import { jsonPayload, toBlob } from './payload.ts';
import { checkMediaType } from './response.ts';
import { reviewClient } from './reviews.ts';
import { download, openFile, parseJsonLines } from './stream.ts';
import type { HttpRequest, Payload, Transport } from './transport.ts';

const PATH = '/intake/v1/feeds';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;
const runPathOf = (id: string, run: string): string =>
  `${pathOf(id)}/runs/${encodeURIComponent(run)}`;

function feedPayload({ body, mediaType }: FeedBody): Payload {
  const content = typeof body === 'string' ? new Blob([body]) : toBlob(body);
  return { content, bytes: content.size, mediaType };
}

async function* streamReport(transport: Transport, path: string, options?: CallOptions) {
  const { response, chunks, close } = await download(
    transport,
    { method: 'GET', path: `${path}/report`, query: { format: 'ndjson' } },
    options,
  );
  try {
    checkMediaType(response, ['application/x-ndjson']);
    yield* parseJsonLines<FeedReportLine>(chunks);
  } finally {
    close();
  }
}

const asJson = (value: object | undefined): string | undefined => value && JSON.stringify(value);

/** The methods of `client.feeds`. */
export function feedsClient(calls: Calls): FeedsClient {
  const { get, getList, post, readPages, remove, requestJson } = calls;
  const send = <T extends object>(
    path: string,
    query: HttpRequest['query'],
    body: Payload | undefined,
    options: CallOptions,
  ) => requestJson<T>({ method: 'POST', path, query, body }, options);

  return {
    create(request, { dryRun, ...options } = {}) {
      const dry = { dryRun: dryRun || undefined };
      if ('url' in request) return send(PATH, dry, jsonPayload(request), options);
      const { body, mediaType, operations, mapping, ...fields } = request;
      const names = { mapping: asJson(mapping), operations: operations?.toString() };
      return send(PATH, { ...fields, ...names, ...dry }, feedPayload({ body, mediaType }), options);
    },
    inspect({ body, mediaType, mapping, ...fields }, options = {}) {
      const query = { ...fields, mapping: asJson(mapping) };
      return send(`${PATH}/inspect`, query, feedPayload({ body, mediaType }), options);
    },
    list: (options) => getList(PATH, 'feeds', options),
    get: (id, options) => get(pathOf(id), options),
    run(id, body, { dryRun, ...options } = {}) {
      const query = { dryRun: dryRun || undefined };
      return send(`${pathOf(id)}/runs`, query, body && feedPayload(body), options);
    },
    getRun: (id, run, options) => get(runPathOf(id, run), options),
    events: (id, run, options) => followProgress(calls, `${runPathOf(id, run)}/events`, options),
    report: (id, run, options) => streamReport(calls, runPathOf(id, run), options),
    export(id, run, { columns, export: policy, ...options } = {}) {
      const path = run === undefined ? pathOf(id) : runPathOf(id, run);
      const query = { columns: columns?.toString(), export: policy };
      return openFile(calls, `${path}/export`, query, options);
    },
    review: (id, run) => reviewClient(calls, runPathOf(id, run)),
    duplicates(id, run, options) {
      const path = `${runPathOf(id, run)}/duplicates`;
      return readPages(path, ({ groups }: DuplicatesPage) => groups, options);
    },
    confirmRun: (id, run, options) => post(`${runPathOf(id, run)}/confirm`, options),
    cancelRun: (id, run, options) => post(`${runPathOf(id, run)}/cancel`, options),
    edit: (id, changes, options) =>
      requestJson({ method: 'PATCH', path: pathOf(id), body: jsonPayload(changes) }, options),
    delete: (id, options) => remove(pathOf(id), options),
  };
}
