import { z } from 'zod';
import type { Gateway } from '../../../gateway.ts';
import { type Call, json, jsonDoc, type Reply, type Route, route } from '../../../http/route.ts';
import {
  BATCHES_PATH,
  type BatchRecord,
  batchLinks,
} from '../../../intake/batches/batch-record.ts';
import type { Idempotency, StoredResponse } from '../../../intake/idempotency.ts';
import { cutOutResponseDoc } from '../../removal/cut-out-response.ts';
import { duplicatesRoute } from '../duplicates.ts';
import { idempotently } from '../idempotent.ts';
import { ErasureResponse, garmentResponseDoc } from '../job-response.ts';
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
  route('createBatch', `POST ${BATCHES_PATH}`, {
    optionalBody: true,
    body: CreateBatchRequest,
    responses: { 201: { ...batchDoc, headers: ['Location'] } },
    handle: (call) =>
      idempotently(idempotency, call, ['POST', BATCHES_PATH, call.body], (ref) =>
        actions.create(call.body, call, ref),
      ),
  }),
  route('addBatchItems', `POST ${BATCH_PATH}/items`, {
    query: ItemsQuery,
    stream: Object.fromEntries(
      Object.entries(ITEM_FORMATS).map(([type, format]) => [
        type,
        format === 'ndjson' ? { each: ItemRow } : 'binary',
      ]),
    ),
    responses: { 200: jsonDoc('The stored part of the upload', ItemsResponse) },
    handle: idempotentAction(
      actions,
      idempotency,
      ({ query, headers }) => ['items', query, headers['content-type']?.toString().split(';')[0]],
      actions.addItems,
    ),
  }),
  route('sealBatch', `POST ${BATCH_PATH}/seal`, {
    responses: { 200: batchDoc },
    handle: idempotentAction(actions, idempotency, () => ['seal'], actions.seal),
  }),
  route('cancelBatch', `POST ${BATCH_PATH}/cancel`, {
    responses: { 200: batchDoc },
    handle: idempotentAction(actions, idempotency, () => ['cancel'], actions.cancel),
  }),
  route('eraseBatch', `DELETE ${BATCH_PATH}`, {
    responses: { 200: jsonDoc('What was deleted', ErasureResponse) },
    handle: async (call) => json(await actions.erase(await actions.readOwnOrDeleted(call))),
  }),
];

const reportRoute = (
  actions: BatchActions,
  operationId: string,
  name: 'results' | 'errors' | 'manifest',
  schema: z.ZodType,
): Route =>
  route(operationId, `GET ${BATCH_PATH}/${name}`, {
    query: name === 'errors' ? RowsQuery : ReportQuery,
    responses: { 200: { description: 'Lines of JSON', content: { [NDJSON]: { each: schema } } } },
    handle: (call) => actions.report(name, call, call.query),
  });

const viewRoutes = (actions: BatchActions): Route[] => [
  route('listBatches', `GET ${BATCHES_PATH}`, {
    query: PageQuery,
    responses: { 200: jsonDoc('A page', BatchPage) },
    handle: async (call) => json(await actions.list(call)),
  }),
  route('getBatch', `GET ${BATCH_PATH}`, {
    responses: { 200: batchDoc },
    handle: (call) => actions.show(call),
  }),
  reportRoute(actions, 'getBatchResults', 'results', ResultRow),
  reportRoute(actions, 'getBatchErrors', 'errors', ErrorRow),
  reportRoute(actions, 'getBatchManifest', 'manifest', ManifestRow),
  route('getBatchArchive', `GET ${BATCH_PATH}/archive`, {
    query: ReportQuery,
    responses: {
      200: {
        description: 'The archive',
        content: { 'application/zip': 'binary' },
        headers: ['Content-Disposition'],
      },
    },
    handle: (call) => actions.archive(call),
  }),
  route('getBatchCutout', `GET ${BATCH_PATH}/rows/:row/cutout`, {
    responses: { 200: cutOutResponseDoc },
    handle: (call) => actions.cutOut(call),
  }),
  route('getBatchGarment', `GET ${BATCH_PATH}/rows/:row/garments/:index`, {
    responses: { 200: garmentResponseDoc },
    handle: (call) => actions.garment(call),
  }),
  route('getBatchEvents', `GET ${BATCH_PATH}/events`, {
    responses: {
      200: { description: 'Events', content: { 'text/event-stream': { each: BatchEvent } } },
      204: { description: 'The client already has the last event' },
    },
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
    async readTarget(call) {
      const batch = await actions.readOwn(call);
      const { review: path } = batchLinks(batch.id);
      return { batch, path, isOpen: true, linkOf: ({ row }) => cutOutUrl(batch.id, row) };
    },
  }),
  duplicatesRoute(blobs, {
    path: BATCH_PATH,
    name: 'Batch',
    async readTarget(call) {
      const batch = await actions.readOwn(call);
      return { batch, path: batchLinks(batch.id).duplicates };
    },
  }),
];
