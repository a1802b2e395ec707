import { checkMediaType } from './answer.ts';
import type { FeedRun, ReportLine } from './contract.ts';
import { progressOf } from './events.ts';
import type { CallOptions, Export, FeedBody, FeedsClient } from './interface.ts';
import { asBlob, jsonPayload, oneTime } from './payload.ts';
import { mediaTypeOf, requestIdOf } from './problem.ts';
import { jsonLines } from './stream.ts';
import type { Payload, Sending, Transport } from './transport.ts';

const PATH = '/intake/v1/feeds';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;
const runPathOf = (id: string, run: string): string =>
  `${pathOf(id)}/runs/${encodeURIComponent(run)}`;

function payloadOf({ body, mediaType }: FeedBody): Payload {
  const content = typeof body === 'string' ? new Blob([body]) : asBlob(body);
  return { content, bytes: content.size, mediaType };
}

/** Opens a download, with as many attempts as any call; what breaks off later has to be begun anew. */
function download({ repeated, stream }: Transport, sending: Sending, options: CallOptions = {}) {
  const never = new AbortController().signal;
  return repeated(options, () => stream(sending, options.signal ?? never));
}

async function* reportOf(transport: Transport, path: string, options?: CallOptions) {
  const sending = { path: `${path}/report`, query: { format: 'ndjson' } };
  const { response, pieces, close } = await download(
    transport,
    { method: 'GET', ...sending },
    options,
  );
  try {
    checkMediaType(response, ['application/x-ndjson']);
    yield* jsonLines<ReportLine>(pieces);
  } finally {
    close();
  }
}

const FILE_NAME = /filename="([^"]*)"/;

async function exportOf(
  transport: Transport,
  path: string,
  options?: CallOptions,
): Promise<Export> {
  const sending = { method: 'GET', path: `${path}/export` } as const;
  const { response, pieces } = await download(transport, sending, options);
  return {
    mediaType: mediaTypeOf(response),
    fileName: FILE_NAME.exec(response.headers.get('content-disposition') ?? '')?.[1],
    body: pieces,
    requestId: requestIdOf(response),
  };
}

/** Retailers' feeds: handed in, run, reported on and taken away with new links. */
export function feedsClient(transport: Transport): FeedsClient {
  const { ask } = transport;
  const post = <T extends object>(sending: Omit<Sending, 'method'>, options?: CallOptions) =>
    ask<T>({ method: 'POST', headers: oneTime(), ...sending }, options);

  return {
    create(wish, options) {
      if ('url' in wish) return post({ path: PATH, body: jsonPayload(wish) }, options);
      const { body, mediaType, operations, ...fields } = wish;
      const query = { ...fields, operations: operations?.toString() };
      return post({ path: PATH, query, body: payloadOf({ body, mediaType }) }, options);
    },
    get: (id, options) => ask({ method: 'GET', path: pathOf(id) }, options),
    run: (id, body, options) =>
      post<FeedRun>({ path: `${pathOf(id)}/runs`, body: body && payloadOf(body) }, options),
    getRun: (id, run, options) => ask({ method: 'GET', path: runPathOf(id, run) }, options),
    events: (id, run, options) => progressOf(transport, `${runPathOf(id, run)}/events`, options),
    report: (id, run, options) => reportOf(transport, runPathOf(id, run), options),
    export: (id, run, options) =>
      exportOf(transport, run === undefined ? pathOf(id) : runPathOf(id, run), options),
    cancelRun: (id, run, options) => post({ path: `${runPathOf(id, run)}/cancel` }, options),
    delete: (id, options) => ask({ method: 'DELETE', path: pathOf(id) }, options),
  };
}
