import { z } from 'zod';
import type { Gateway } from '../../../gateway.ts';
import { type Call, json, type Reply, type Route, route } from '../../../http/route.ts';
import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import { BATCHES_PATH, batchLinks } from '../../../intake/batches/links.ts';
import type { Idempotency, StoredResponse } from '../../../intake/idempotency.ts';
import { jsonDoc } from '../../json-doc.ts';
import { cutOutResponseDoc } from '../../removal/cut-out-response.ts';
import { RESULT_PROBLEMS } from '../../verified-blob.ts';
import { duplicatesRoute } from '../duplicates/routes.ts';
import { IDEMPOTENT, idempotently } from '../idempotent.ts';
import { ErasureResponse } from '../job-response.ts';
import { garmentResponseDoc } from '../outfit-response.ts';
import { PageLinks, PageQuery } from '../page.ts';
import type { ReviewActions } from '../review/actions.ts';
import type { RowRefinements } from '../review/refinements.ts';
import { reviewRoutes } from '../review/routes.ts';
import type { BatchActions } from './actions.ts';
import { cutOutUrl, ErrorRow, ManifestRow, ResultRow } from './reports.ts';
import {
  CreateBatchRequest,
  ITEM_FORMATS,
  ItemRow,
  ItemsQuery,
  NDJSON,
  ReportQuery,
  RowsQuery,
} from './request.ts';
import { BatchEvent, BatchResponse, ItemsResponse } from './response.ts';

const BatchPage = z
  .object({
    batches: z.array(BatchResponse),
    links: PageLinks,
  })
  .meta({ id: 'BatchPage' });

const batchDoc = jsonDoc('The batch', BatchResponse);

const BATCH_PATH = `${BATCHES_PATH}/:id`;
const UPLOAD_DESCRIPTION =
  'One row per image: NDJSON of `{"customId","imageUrl" or "imageBase64"}`, CSV with the columns `custom_id` and `image_url`, a feed of any kind, or a form with files whose names are the customIds. An invalid row is reported and the upload continues. Each accepted row costs one unit of quota; 50 rejected rows, or one with an image, count as a request. An interrupted upload resumes by `?offset=`, from `upload.offset` of the batch.';

/**
 * Returns a handler that changes a batch once per `Idempotency-Key`.
 * @param fingerprint what besides the batch identifies the request's content
 */
const idempotentAction =
  <Query>(
    actions: BatchActions,
    idempotency: Idempotency,
    fingerprint: (call: Call<Query>) => readonly unknown[],
    act: (batch: BatchRecord, call: Call<Query>) => Promise<StoredResponse>,
  ) =>
  async (call: Call<Query>): Promise<Reply> => {
    const batch = await actions.readOwn(call);
    const parts = ['POST', `${BATCHES_PATH}/${batch.id}`, ...fingerprint(call)];
    return idempotently(idempotency, call, parts, () => act(batch, call));
  };

const changeRoutes = (actions: BatchActions, idempotency: Idempotency): Route[] => [
  route<unknown, CreateBatchRequest>('createBatch', `POST ${BATCHES_PATH}`, {
    scope: 'any-key',
    summary: 'Open a batch of images',
    description:
      'The key needs the scopes of the requested operations. A batch accepts rows until it is sealed, for a day at most. With an `Idempotency-Key`, a request repeated within a day returns the same batch.',
    requestHeaders: IDEMPOTENT,
    optionalBody: true,
    body: CreateBatchRequest,
    responses: { 201: { ...batchDoc, headers: ['Location'] } },
    problems: ['conflict'],
    handle: (call) =>
      idempotently(idempotency, call, ['POST', BATCHES_PATH, call.body], (ref) =>
        actions.create(call.body, call, ref),
      ),
  }),
  route<ItemsQuery>('addBatchItems', `POST ${BATCH_PATH}/items`, {
    scope: 'any-key',
    summary: 'Upload rows to a batch, without a limit on their number',
    description: UPLOAD_DESCRIPTION,
    requestHeaders: IDEMPOTENT,
    query: ItemsQuery,
    stream: Object.fromEntries(
      Object.entries(ITEM_FORMATS).map(([type, format]) => [
        type,
        format === 'ndjson' ? { each: ItemRow } : 'binary',
      ]),
    ),
    responses: {
      200: jsonDoc('The stored part of the upload', ItemsResponse),
    },
    problems: ['not-found', 'conflict', 'gone', 'quota-exceeded'],
    handle: idempotentAction(
      actions,
      idempotency,
      ({ query, headers }) => ['items', query, headers['content-type']?.toString().split(';')[0]],
      actions.addItems,
    ),
  }),
  route('sealBatch', `POST ${BATCH_PATH}/seal`, {
    scope: 'any-key',
    summary: 'Seal a batch and start processing its rows',
    description: 'No rows can be added afterwards. Sealing again returns the same batch.',
    requestHeaders: IDEMPOTENT,
    responses: { 200: batchDoc },
    problems: ['not-found', 'conflict', 'gone'],
    handle: idempotentAction(actions, idempotency, () => ['seal'], actions.seal),
  }),
  route('cancelBatch', `POST ${BATCH_PATH}/cancel`, {
    scope: 'any-key',
    summary: 'Cancel the unfinished rows of a batch; their quota is refunded',
    description: 'Results of finished rows remain until the batch expires.',
    requestHeaders: IDEMPOTENT,
    responses: { 200: batchDoc },
    problems: ['not-found', 'conflict', 'gone'],
    handle: idempotentAction(actions, idempotency, () => ['cancel'], actions.cancel),
  }),
  route('eraseBatch', `DELETE ${BATCH_PATH}`, {
    scope: 'any-key',
    summary: 'Erase a batch with its images and results',
    description:
      'Deletes everything that is stored of the batch at once, and cancels it if it has not ended.',
    responses: {
      200: jsonDoc('What was deleted', ErasureResponse),
    },
    problems: ['not-found'],
    handle: async (call) => json(await actions.erase(await actions.readOwnOrDeleted(call))),
  }),
];

const reportRoute = (
  actions: BatchActions,
  operationId: string,
  name: 'results' | 'errors' | 'manifest',
  schema: z.ZodType,
  summary: string,
): Route =>
  route<ReportQuery>(operationId, `GET ${BATCH_PATH}/${name}`, {
    scope: 'any-key',
    summary,
    description:
      'NDJSON in upload order, with what is known now. `after` resumes an interrupted download.',
    query: name === 'errors' ? RowsQuery : ReportQuery,
    responses: { 200: { description: 'Lines of JSON', content: { [NDJSON]: { each: schema } } } },
    problems: ['not-found', 'gone', ...(name === 'errors' ? [] : ['conflict'])],
    handle: (call) => actions.report(name, call, call.query),
  });

const viewRoutes = (actions: BatchActions): Route[] => [
  route<PageQuery>('listBatches', `GET ${BATCHES_PATH}`, {
    scope: 'any-key',
    summary: 'List your batches, newest first',
    description:
      'The newest 1,000, without those that have expired or were erased; others are found by their id. `links.next` is the next page.',
    query: PageQuery,
    responses: { 200: jsonDoc('A page', BatchPage) },
    handle: async (call) => json(await actions.list(call)),
  }),
  route('getBatch', `GET ${BATCH_PATH}`, {
    scope: 'any-key',
    summary: 'Get the status of a batch',
    description:
      'The counts say how many rows are accepted, rejected, queued, active, succeeded and failed. A batch that has expired or was erased is 410 `gone` with `expiredAt` or `erasedAt`, until its record is deleted too.',
    responses: { 200: batchDoc },
    problems: ['not-found', 'gone'],
    handle: (call) => actions.show(call),
  }),
  reportRoute(
    actions,
    'getBatchResults',
    'results',
    ResultRow,
    'Download the results of the rows that succeeded',
  ),
  reportRoute(
    actions,
    'getBatchErrors',
    'errors',
    ErrorRow,
    'Download the rejected and failed rows, with reasons',
  ),
  reportRoute(
    actions,
    'getBatchManifest',
    'manifest',
    ManifestRow,
    'Download all rows, with the hashes of their images',
  ),
  route<ReportQuery>('getBatchArchive', `GET ${BATCH_PATH}/archive`, {
    scope: 'any-key',
    summary: 'Download all cut-outs of a batch as one ZIP archive',
    description:
      'Files are named after `customId`, in upload order; `errors.ndjson` lists the rows without one. It has what is known now; `after` resumes behind a row.',
    query: ReportQuery,
    responses: {
      200: {
        description: 'The archive',
        content: { 'application/zip': 'binary' },
        headers: ['Content-Disposition'],
      },
    },
    problems: ['not-found', 'gone', 'conflict'],
    handle: (call) => actions.archive(call),
  }),
  route('getBatchCutout', `GET ${BATCH_PATH}/rows/:row/cutout`, {
    scope: 'any-key',
    summary: 'Download the cut-out of a row',
    description: 'If the row failed, the response is its problem.',
    responses: { 200: cutOutResponseDoc },
    problems: RESULT_PROBLEMS,
    handle: (call) => actions.cutOut(call),
  }),
  route('getBatchGarment', `GET ${BATCH_PATH}/rows/:row/garments/:index`, {
    scope: 'any-key',
    summary: 'Download the cut-out of a garment of a row',
    description:
      'Of a batch with the operation `separate`; `index` is that of the garment. If the row failed, the response is its problem.',
    responses: { 200: garmentResponseDoc },
    problems: RESULT_PROBLEMS,
    handle: (call) => actions.garment(call),
  }),
  route('getBatchEvents', `GET ${BATCH_PATH}/events`, {
    scope: 'any-key',
    summary: 'Follow the progress of a batch as server-sent events',
    description:
      '`progress` with the counts when they change, `completed` at the end. `Last-Event-ID` resumes the stream; 204 means that there are no more events. The stream ends within seconds if the key is revoked.',
    responses: {
      200: { description: 'Events', content: { 'text/event-stream': { each: BatchEvent } } },
      204: { description: 'The client already has the last event' },
    },
    problems: ['not-found', 'gone'],
    handle: (call) => actions.events(call),
  }),
];

/** The routes for batches: catalogues uploaded row by row and processed later. */
export const batchRoutes = (
  { idempotency, blobs }: Pick<Gateway, 'idempotency' | 'blobs'>,
  actions: BatchActions,
  reviews: ReviewActions,
  refinements: RowRefinements,
): Route[] => [
  ...changeRoutes(actions, idempotency),
  ...viewRoutes(actions),
  ...reviewRoutes(reviews, refinements, {
    path: BATCH_PATH,
    name: 'Batch',
    noun: 'batch',
    async readTarget(call) {
      const batch = await actions.readOwn(call);
      const { review: path } = batchLinks(batch.id);
      return { batch, path, isOpen: true, linkOf: ({ row }) => cutOutUrl(batch.id, row) };
    },
  }),
  duplicatesRoute(blobs, {
    path: BATCH_PATH,
    name: 'Batch',
    noun: 'batch',
    async readTarget(call) {
      const batch = await actions.readOwn(call);
      return { batch, path: batchLinks(batch.id).duplicates };
    },
  }),
];
