import type { Feed, FeedReportLine, FeedRun } from './contract.ts';
import { duplicateGroups } from './duplicates.ts';
import { followProgress } from './events.ts';
import type {
  CallOptions,
  FeedBody,
  FeedExportCallOptions,
  FeedsClient,
  FileDownload,
} from './interface.ts';
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

function openExport(
  transport: Transport,
  path: string,
  { columns, export: policy, ...options }: FeedExportCallOptions = {},
): Promise<FileDownload> {
  const query = { columns: columns?.toString(), export: policy };
  return openFile(transport, { method: 'GET', path: `${path}/export`, query }, options);
}

const asJson = (value: object | undefined): string | undefined => value && JSON.stringify(value);

/** The methods of `client.feeds`. */
export function feedsClient(transport: Transport): FeedsClient {
  const { requestJson } = transport;
  const post = <T extends object>(request: Omit<HttpRequest, 'method'>, options?: CallOptions) =>
    requestJson<T>({ method: 'POST', ...request }, options);

  return {
    create(request, { dryRun, ...options } = {}) {
      const dry = dryRun ? { dryRun: 'true' } : {};
      if ('url' in request)
        return post({ path: PATH, query: dry, body: jsonPayload(request) }, options);
      const { body, mediaType, operations, mapping, ...fields } = request;
      const names = { mapping: asJson(mapping), operations: operations?.toString() };
      const query = { ...fields, ...names, ...dry };
      return post({ path: PATH, query, body: feedPayload({ body, mediaType }) }, options);
    },
    inspect: ({ body, mediaType, mapping, ...fields }, options) =>
      post(
        {
          path: `${PATH}/inspect`,
          query: { ...fields, mapping: asJson(mapping) },
          body: feedPayload({ body, mediaType }),
        },
        options,
      ),
    list: async (options) =>
      (await requestJson<{ feeds: Feed[] }>({ method: 'GET', path: PATH }, options)).feeds,
    get: (id, options) => requestJson({ method: 'GET', path: pathOf(id) }, options),
    run: (id, body, { dryRun, ...options } = {}) =>
      post<FeedRun>(
        {
          path: `${pathOf(id)}/runs`,
          query: dryRun ? { dryRun: 'true' } : {},
          body: body && feedPayload(body),
        },
        options,
      ),
    getRun: (id, run, options) => requestJson({ method: 'GET', path: runPathOf(id, run) }, options),
    events: (id, run, options) =>
      followProgress(transport, `${runPathOf(id, run)}/events`, options),
    report: (id, run, options) => streamReport(transport, runPathOf(id, run), options),
    export: (id, run, options) =>
      openExport(transport, run === undefined ? pathOf(id) : runPathOf(id, run), options),
    review: (id, run) => reviewClient(transport, runPathOf(id, run)),
    duplicates: (id, run, options) => duplicateGroups(transport, runPathOf(id, run), options),
    confirmRun: (id, run, options) => post({ path: `${runPathOf(id, run)}/confirm` }, options),
    cancelRun: (id, run, options) => post({ path: `${runPathOf(id, run)}/cancel` }, options),
    edit: (id, changes, options) =>
      requestJson({ method: 'PATCH', path: pathOf(id), body: jsonPayload(changes) }, options),
    delete: (id, options) => requestJson({ method: 'DELETE', path: pathOf(id) }, options),
  };
}
