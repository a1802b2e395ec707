import { z } from 'zod';
import type { Gateway } from '../../../gateway.ts';
import { json, jsonDoc, type Route, route } from '../../../http/route.ts';
import { BATCHES_PATH, batchLinks } from '../../../intake/batches/batch-record.ts';
import { cutOutResponseDoc } from '../../removal/cut-out-response.ts';
import { named } from '../../schema.ts';
import { ErasureResponse, garmentResponseDoc } from '../job-response.ts';
import { PageLinks, PageQuery } from '../page.ts';
import type { RowRoutes } from '../row-routes.ts';
import { BatchActions } from './actions.ts';
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
import { BatchResponse, ItemsResponse } from './response.ts';

const BatchPage = named('BatchPage', { batches: z.array(BatchResponse), links: PageLinks });

const batchDoc = jsonDoc('The batch', BatchResponse);

const BATCH_PATH = `${BATCHES_PATH}/:id`;

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

/** The routes for batches: catalogues uploaded row by row and processed later. */
export function batchRoutes(services: Gateway, rows: RowRoutes): Route[] {
  const actions = new BatchActions(services);
  return [
    route('createBatch', `POST ${BATCHES_PATH}`, {
      optionalBody: true,
      body: CreateBatchRequest,
      responses: { 201: { ...batchDoc, headers: ['Location'] } },
      handle: (call) => actions.create(call),
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
      handle: (call) => actions.addItems(call),
    }),
    route('sealBatch', `POST ${BATCH_PATH}/seal`, {
      responses: { 200: batchDoc },
      handle: (call) => actions.seal(call),
    }),
    route('cancelBatch', `POST ${BATCH_PATH}/cancel`, {
      responses: { 200: batchDoc },
      handle: (call) => actions.cancel(call),
    }),
    route('eraseBatch', `DELETE ${BATCH_PATH}`, {
      responses: { 200: jsonDoc('What was deleted', ErasureResponse) },
      handle: async (call) => json(await actions.erase(call)),
    }),
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
    ...rows.of({
      path: BATCH_PATH,
      name: 'Batch',
      async readTarget(call) {
        const batch = await actions.readOwn(call);
        const links = batchLinks(batch.id);
        return { batch, links, isOpen: true, linkOf: ({ row }) => cutOutUrl(batch.id, row) };
      },
    }),
  ];
}
