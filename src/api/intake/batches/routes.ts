import { z } from 'zod';
import { type Call, json, type Reply, type Route, route } from '../../../http/route.ts';
import type { BatchRecord } from '../../../intake/batches/batches.ts';
import { BATCHES_PATH } from '../../../intake/batches/links.ts';
import type { Answer, Idempotency } from '../../../intake/idempotency.ts';
import { cutOutResponseDoc } from '../../removal/cut-out-response.ts';
import { idempotently } from '../idempotent.ts';
import type { BatchActions } from './actions.ts';
import { ErrorRow, ManifestRow, ResultRow } from './reports.ts';
import {
  CreateBatchRequest,
  ITEM_FORMATS,
  ItemRow,
  ItemsQuery,
  ListQuery,
  NDJSON,
  RowsQuery,
} from './request.ts';
import { BatchResponse } from './response.ts';

const ItemsAnswer = z.object({
  accepted: z.number(),
  rejected: z.number(),
  offset: z.number().meta({ description: 'Bytes of the upload that are in; of a form, files' }),
  errors: z
    .array(
      z.object({
        line: z.number(),
        customId: z.string().optional(),
        problem: z.object({ type: z.string(), detail: z.string() }),
      }),
    )
    .meta({ description: 'The first ten rows that were rejected' }),
  warnings: z.array(z.string()),
});

const Page = z.object({
  batches: z.array(BatchResponse),
  links: z.object({ next: z.string() }).optional(),
});

const Receipt = z.object({ id: z.string(), erasedAt: z.iso.datetime(), blobs: z.number() });

const batchDoc = (description: string) => ({
  description,
  content: { 'application/json': BatchResponse },
});

const OWN = `${BATCHES_PATH}/:id`;
const HOW_UPLOADS_GO =
  'One row an image: NDJSON of `{"customId","imageUrl" or "imageBase64"}`, CSV with the columns `custom_id` and `image_url`, or a form of files whose names are the customIds. Rows are taken in while the body comes; a bad row is one error and the rest goes on. Each accepted row takes one unit of quota. Where an upload breaks off, `upload.offset` of the batch says how far it is in, and `?offset=` goes on with the remaining bytes.';

/** Something done to a batch once for an Idempotency-Key: the same deed to the same batch. */
const deed =
  <Query>(
    work: BatchActions,
    idempotency: Idempotency,
    sameness: (call: Call<Query>) => readonly unknown[],
    act: (batch: BatchRecord, call: Call<Query>) => Promise<Answer>,
  ) =>
  async (call: Call<Query>): Promise<Reply> => {
    const batch = await work.own(call);
    const parts = ['POST', `${BATCHES_PATH}/${batch.id}`, ...sameness(call)];
    return idempotently(idempotency, call, parts, () => act(batch, call));
  };

/** The routes that change batches. */
const changes = (work: BatchActions, idempotency: Idempotency): Route[] => [
  route<unknown, CreateBatchRequest>({
    method: 'POST',
    path: BATCHES_PATH,
    scope: 'any-key',
    summary: 'Open a batch for many images',
    description:
      'The key needs the scopes of the operations asked for. A batch takes rows until it is sealed, for a day at most. With an `Idempotency-Key` a request sent again within a day answers the same batch.',
    body: CreateBatchRequest,
    answers: { 201: { ...batchDoc('The batch'), headers: ['Location'] } },
    problems: ['conflict', 'idempotency-mismatch'],
    handle: (call) =>
      idempotently(idempotency, call, ['POST', BATCHES_PATH, call.body], () =>
        work.create(call.body, call),
      ),
  }),
  route<ItemsQuery>({
    method: 'POST',
    path: `${OWN}/items`,
    scope: 'any-key',
    summary: 'Add rows to a batch, as many as there are',
    description: HOW_UPLOADS_GO,
    query: ItemsQuery,
    stream: Object.fromEntries(
      Object.entries(ITEM_FORMATS).map(([type, format]) => [
        type,
        format === 'ndjson' ? ItemRow : 'binary',
      ]),
    ),
    answers: { 200: { description: 'What is in', content: { 'application/json': ItemsAnswer } } },
    problems: ['not-found', 'conflict', 'quota-exceeded', 'idempotency-mismatch'],
    handle: deed(
      work,
      idempotency,
      ({ query, headers }) => ['items', query, headers['content-type']?.toString().split(';')[0]],
      work.items,
    ),
  }),
  route({
    method: 'POST',
    path: `${OWN}/seal`,
    scope: 'any-key',
    summary: 'Close a batch for rows and begin with them',
    answers: { 200: batchDoc('The sealed batch') },
    problems: ['not-found', 'conflict', 'gone', 'idempotency-mismatch'],
    handle: deed(work, idempotency, () => ['seal'], work.seal),
  }),
  route({
    method: 'POST',
    path: `${OWN}/cancel`,
    scope: 'any-key',
    summary: 'Call off what of a batch is not done; its quota is given back',
    answers: { 200: batchDoc('The batch, canceled or about to be') },
    problems: ['not-found', 'conflict', 'gone', 'idempotency-mismatch'],
    handle: deed(work, idempotency, () => ['cancel'], work.cancel),
  }),
  route({
    method: 'DELETE',
    path: OWN,
    scope: 'any-key',
    summary: 'Erase a batch with its images and results',
    answers: {
      200: {
        description: 'What was deleted: `blobs` counts images, rows and results',
        content: { 'application/json': Receipt },
      },
    },
    problems: ['not-found'],
    handle: async (call) => json(await work.erase(await work.own(call))),
  }),
];

const reportRoute = (
  work: BatchActions,
  name: 'results' | 'errors' | 'manifest',
  schema: z.ZodType,
  summary: string,
): Route =>
  route<RowsQuery>({
    method: 'GET',
    path: `${OWN}/${name}`,
    scope: 'any-key',
    summary,
    description:
      'NDJSON in the order the rows came, as far as it is known now. `after` goes on with a download that broke off.',
    query: RowsQuery,
    answers: { 200: { description: 'Lines of JSON', content: { [NDJSON]: schema } } },
    problems: ['not-found', 'gone'],
    handle: (call) => work.report(name, call, call.query.after),
  });

/** The routes that tell of batches. */
const views = (work: BatchActions): Route[] => [
  route<ListQuery>({
    method: 'GET',
    path: BATCHES_PATH,
    scope: 'any-key',
    summary: 'Your batches, the newest first',
    query: ListQuery,
    answers: { 200: { description: 'A page', content: { 'application/json': Page } } },
    handle: async (call) => json(await work.list(call)),
  }),
  route({
    method: 'GET',
    path: OWN,
    scope: 'any-key',
    summary: 'How far a batch is',
    answers: { 200: batchDoc('The batch') },
    problems: ['not-found'],
    handle: work.show,
  }),
  reportRoute(work, 'results', ResultRow, 'What came of the rows that succeeded'),
  reportRoute(work, 'errors', ErrorRow, 'Rows that were rejected or failed, and why'),
  reportRoute(work, 'manifest', ManifestRow, 'Every row, with the hashes of its images'),
  route({
    method: 'GET',
    path: `${OWN}/rows/:row/cutout`,
    scope: 'any-key',
    summary: 'The cut-out of a row',
    description: 'Where the row failed, its own problem is the answer.',
    answers: { 200: cutOutResponseDoc },
    problems: ['not-found', 'conflict', 'gone', 'upstream-failed', 'unprocessable-image'],
    handle: work.cutOut,
  }),
  route({
    method: 'GET',
    path: `${OWN}/events`,
    scope: 'any-key',
    summary: 'Progress as server-sent events',
    description:
      '`progress` with the counts where they changed, `completed` at the end. `Last-Event-ID` goes on from there; 204 means that nothing more will come.',
    answers: {
      200: { description: 'Events', content: { 'text/event-stream': z.string() } },
      204: { description: 'The end is known already' },
    },
    problems: ['not-found'],
    handle: work.events,
  }),
];

/** The routes of batches: catalogues handed in row by row, worked on later. */
export const batchRoutes = (work: BatchActions, idempotency: Idempotency): Route[] => [
  ...changes(work, idempotency),
  ...views(work),
];
