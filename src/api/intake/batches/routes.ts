import { z } from 'zod';
import { type Call, json, type Reply, type Route, route } from '../../../http/route.ts';
import type { BatchRecord } from '../../../intake/batches/batches.ts';
import { BATCHES_PATH } from '../../../intake/batches/links.ts';
import type { Idempotency, StoredResponse } from '../../../intake/idempotency.ts';
import { cutOutResponseDoc } from '../../removal/cut-out-response.ts';
import { idempotently } from '../idempotent.ts';
import { ErasureResponse } from '../job-response.ts';
import { PageLinks, PageQuery } from '../page.ts';
import type { BatchActions } from './actions.ts';
import { ErrorRow, ManifestRow, ResultRow } from './reports.ts';
import {
  CreateBatchRequest,
  ITEM_FORMATS,
  ItemRow,
  ItemsQuery,
  NDJSON,
  RowsQuery,
} from './request.ts';
import { BatchResponse } from './response.ts';

const ItemsResponse = z.object({
  accepted: z.number(),
  rejected: z.number(),
  offset: z
    .number()
    .meta({ description: 'Bytes of the upload that are stored; for a form, files' }),
  errors: z
    .array(
      z.object({
        line: z.number(),
        customId: z.string().optional(),
        problem: z.object({ type: z.string(), detail: z.string() }),
      }),
    )
    .meta({ description: 'The first ten rejected rows' }),
  warnings: z.array(z.string()),
});

const BatchPage = z.object({
  batches: z.array(BatchResponse),
  links: PageLinks,
});

const batchDoc = (description: string) => ({
  description,
  content: { 'application/json': BatchResponse },
});

const BATCH_PATH = `${BATCHES_PATH}/:id`;
const UPLOAD_DESCRIPTION =
  'One row per image: NDJSON of `{"customId","imageUrl" or "imageBase64"}`, CSV with the columns `custom_id` and `image_url`, or a form with files whose names are the customIds. Rows are stored while the body arrives; an invalid row is reported and the upload continues. Each accepted row costs one unit of quota; 50 rejected rows, or one with an image, count as a request; so do, in a batch that has 100 stored chunks of rows (some 50,000 rows) or more, each 100 of them, as every upload compares its ids with theirs. If an upload is interrupted, `upload.offset` of the batch says how much is stored, and `?offset=` resumes with the remaining bytes.';

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

/** The routes that change batches. */
const changeRoutes = (actions: BatchActions, idempotency: Idempotency): Route[] => [
  route<unknown, CreateBatchRequest>({
    method: 'POST',
    path: BATCHES_PATH,
    scope: 'any-key',
    summary: 'Open a batch of images',
    description:
      'The key needs the scopes of the requested operations. A batch accepts rows until it is sealed, for a day at most. With an `Idempotency-Key`, a request repeated within a day returns the same batch.',
    body: CreateBatchRequest,
    optionalBody: true,
    responses: { 201: { ...batchDoc('The batch'), headers: ['Location'] } },
    problems: ['conflict', 'idempotency-mismatch'],
    handle: (call) =>
      idempotently(idempotency, call, ['POST', BATCHES_PATH, call.body], () =>
        actions.create(call.body, call),
      ),
  }),
  route<ItemsQuery>({
    method: 'POST',
    path: `${BATCH_PATH}/items`,
    scope: 'any-key',
    summary: 'Upload rows to a batch, without a limit on their number',
    description: UPLOAD_DESCRIPTION,
    query: ItemsQuery,
    stream: Object.fromEntries(
      Object.entries(ITEM_FORMATS).map(([type, format]) => [
        type,
        format === 'ndjson' ? ItemRow : 'binary',
      ]),
    ),
    responses: {
      200: {
        description: 'The stored part of the upload',
        content: { 'application/json': ItemsResponse },
      },
    },
    problems: ['not-found', 'conflict', 'gone', 'quota-exceeded', 'idempotency-mismatch'],
    handle: idempotentAction(
      actions,
      idempotency,
      ({ query, headers }) => ['items', query, headers['content-type']?.toString().split(';')[0]],
      actions.addItems,
    ),
  }),
  route({
    method: 'POST',
    path: `${BATCH_PATH}/seal`,
    scope: 'any-key',
    summary: 'Seal a batch and start processing its rows',
    responses: { 200: batchDoc('The sealed batch') },
    problems: ['not-found', 'conflict', 'gone', 'idempotency-mismatch'],
    handle: idempotentAction(actions, idempotency, () => ['seal'], actions.seal),
  }),
  route({
    method: 'POST',
    path: `${BATCH_PATH}/cancel`,
    scope: 'any-key',
    summary: 'Cancel the unfinished rows of a batch; their quota is refunded',
    responses: { 200: batchDoc('The batch, canceled or being canceled') },
    problems: ['not-found', 'conflict', 'gone', 'idempotency-mismatch'],
    handle: idempotentAction(actions, idempotency, () => ['cancel'], actions.cancel),
  }),
  route({
    method: 'DELETE',
    path: BATCH_PATH,
    scope: 'any-key',
    summary: 'Erase a batch with its images and results',
    responses: {
      200: {
        description: 'What was deleted: `blobs` counts images, rows and results',
        content: { 'application/json': ErasureResponse },
      },
    },
    problems: ['not-found'],
    handle: async (call) => json(await actions.erase(await actions.readOwnOrDeleted(call))),
  }),
];

const reportRoute = (
  actions: BatchActions,
  name: 'results' | 'errors' | 'manifest',
  schema: z.ZodType,
  summary: string,
): Route =>
  route<RowsQuery>({
    method: 'GET',
    path: `${BATCH_PATH}/${name}`,
    scope: 'any-key',
    summary,
    description:
      'NDJSON in upload order, with what is known now. `after` resumes an interrupted download.',
    query: RowsQuery,
    responses: { 200: { description: 'Lines of JSON', content: { [NDJSON]: schema } } },
    problems: ['not-found', 'gone'],
    handle: (call) => actions.report(name, call, call.query.after),
  });

/** The routes that show batches. */
const viewRoutes = (actions: BatchActions): Route[] => [
  route<PageQuery>({
    method: 'GET',
    path: BATCHES_PATH,
    scope: 'any-key',
    summary: 'List your batches, newest first',
    description:
      'The newest 1,000, without those that have expired or were erased; others are found by their id. `links.next` is the next page.',
    query: PageQuery,
    responses: { 200: { description: 'A page', content: { 'application/json': BatchPage } } },
    handle: async (call) => json(await actions.list(call)),
  }),
  route({
    method: 'GET',
    path: BATCH_PATH,
    scope: 'any-key',
    summary: 'Get the status of a batch',
    description:
      'A batch that has expired or was erased is 410 `gone` with `expiredAt` or `erasedAt`, until its record is deleted too.',
    responses: { 200: batchDoc('The batch') },
    problems: ['not-found', 'gone'],
    handle: actions.show,
  }),
  reportRoute(actions, 'results', ResultRow, 'Download the results of the rows that succeeded'),
  reportRoute(actions, 'errors', ErrorRow, 'Download the rejected and failed rows, with reasons'),
  reportRoute(
    actions,
    'manifest',
    ManifestRow,
    'Download all rows, with the hashes of their images',
  ),
  route({
    method: 'GET',
    path: `${BATCH_PATH}/rows/:row/cutout`,
    scope: 'any-key',
    summary: 'Download the cut-out of a row',
    description: 'If the row failed, the response is its problem.',
    responses: { 200: cutOutResponseDoc },
    problems: ['not-found', 'conflict', 'gone', 'upstream-failed', 'unprocessable-image'],
    handle: actions.cutOut,
  }),
  route({
    method: 'GET',
    path: `${BATCH_PATH}/events`,
    scope: 'any-key',
    summary: 'Follow the progress of a batch as server-sent events',
    description:
      '`progress` with the counts when they change, `completed` at the end. `Last-Event-ID` resumes the stream; 204 means that there are no more events. The stream ends within seconds if the key is revoked.',
    responses: {
      200: { description: 'Events', content: { 'text/event-stream': z.string() } },
      204: { description: 'The client already has the last event' },
    },
    problems: ['not-found', 'gone'],
    handle: actions.events,
  }),
];

/** The routes for batches: catalogues uploaded row by row and processed later. */
export const batchRoutes = (actions: BatchActions, idempotency: Idempotency): Route[] => [
  ...changeRoutes(actions, idempotency),
  ...viewRoutes(actions),
];
