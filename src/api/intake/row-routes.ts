import type { Gateway } from '../../gateway.ts';
import { json, jsonDoc, type Route, route } from '../../http/route.ts';
import { CUT_OUT_MEDIA } from '../removal/cut-out-response.ts';
import type { ImageRequests } from '../removal/image-requests.ts';
import { BatchEvents } from './batches/events.ts';
import { BatchEvent } from './batches/response.ts';
import { DuplicatesPage, DuplicatesQuery, readDuplicates } from './duplicates.ts';
import { ReviewActions, type RowsRoutesOptions } from './review/actions.ts';
import { RowRefinements, refinementRoutes } from './review/refinements.ts';
import {
  ApprovalRequest,
  ApprovalResponse,
  DecisionRequest,
  ReviewPage,
  ReviewQuery,
  ReviewRowHistory,
  ReviewRowResponse,
  ReviewSummary,
} from './review/schemas.ts';

/** What batches and runs of feeds have in common: events, review, mended cut-outs and duplicates. */
export class RowRoutes {
  readonly #services;
  readonly #events = new BatchEvents();
  readonly #reviews;
  readonly #refinements;

  constructor(services: Gateway, images: ImageRequests) {
    this.#services = services;
    this.#reviews = new ReviewActions(services, images);
    this.#refinements = new RowRefinements(services, this.#reviews, images);
  }

  of(options: RowsRoutesOptions): Route[] {
    const { path, name, countsOf, readTarget } = options;
    const { blobs, batches } = this.#services;
    return [
      route(`get${name}Events`, `GET ${path}/events`, {
        responses: {
          200: { description: 'Events', content: { 'text/event-stream': { each: BatchEvent } } },
          204: { description: 'The client already has the last event' },
        },
        handle: async (call) => {
          const { batch } = await readTarget(call);
          return this.#events.listen(batch, call, () => batches.get(batch.id), countsOf);
        },
      }),
      route(`get${name}Review`, `GET ${path}/review`, {
        query: ReviewQuery,
        responses: { 200: jsonDoc('A page', ReviewPage) },
        handle: async (call) => json(await this.#reviews.list(await readTarget(call), call)),
      }),
      route(`get${name}ReviewSummary`, `GET ${path}/review/summary`, {
        responses: { 200: jsonDoc('The counts', ReviewSummary) },
        handle: async (call) => json(await this.#reviews.counts(await readTarget(call))),
      }),
      route(`approve${name}Rows`, `POST ${path}/review`, {
        body: ApprovalRequest,
        responses: { 200: jsonDoc('What was approved', ApprovalResponse) },
        handle: async (call) => json(await this.#reviews.approve(await readTarget(call), call)),
      }),
      route(`get${name}ReviewRow`, `GET ${path}/review/:row`, {
        responses: { 200: jsonDoc('The row', ReviewRowHistory) },
        handle: async (call) => json(await this.#reviews.show(await readTarget(call), call)),
      }),
      route(`get${name}ReviewPhoto`, `GET ${path}/review/:row/photo`, {
        responses: { 200: { description: 'The photo', content: CUT_OUT_MEDIA } },
        handle: async (call) => this.#reviews.photo(await readTarget(call), call),
      }),
      route(`decide${name}Row`, `POST ${path}/review/:row`, {
        body: DecisionRequest,
        responses: { 200: jsonDoc('The row', ReviewRowResponse) },
        handle: async (call) => json(await this.#reviews.decide(await readTarget(call), call)),
      }),
      ...refinementRoutes(this.#refinements, options),
      route(`get${name}Duplicates`, `GET ${path}/duplicates`, {
        query: DuplicatesQuery,
        responses: { 200: jsonDoc('A page', DuplicatesPage) },
        handle: async (call) => {
          const { batch, links } = await readTarget(call);
          return json(await readDuplicates(blobs, batch, links.duplicates, call.query));
        },
      }),
    ];
  }
}
