import type { ReviewPage, ReviewQuery } from './contract.ts';
import type { CallOptions, ReviewClient } from './interface.ts';
import { formPayload, jsonPayload } from './payload.ts';
import { readImage } from './response.ts';
import type { Transport } from './transport.ts';

/** Rows of a page. */
const LIMIT = 100;

const cursorOf = ({ links }: ReviewPage): string | undefined =>
  links && (new URLSearchParams(links.next.split('?')[1]).get('cursor') ?? undefined);

/** The methods of `client.batches.review` and `client.feeds.review`. @param path of a batch or run */
export function reviewClient({ request, requestJson }: Transport, path: string): ReviewClient {
  const rowPath = (row: number): string => `${path}/review/${row}`;

  async function* rows(query: ReviewQuery = {}, options?: CallOptions) {
    const fields = { ...query, needed: query.needed?.toString(), limit: LIMIT };
    let cursor: string | undefined;
    do {
      const pageRequest = {
        method: 'GET',
        path: `${path}/review`,
        query: { ...fields, cursor },
      } as const;
      const page = await requestJson<ReviewPage>(pageRequest, options);
      yield* page.rows;
      cursor = cursorOf(page);
    } while (cursor !== undefined);
  }

  return {
    rows,
    summary: (options) => requestJson({ method: 'GET', path: `${path}/review/summary` }, options),
    photo: (row, options) =>
      request({ method: 'GET', path: `${rowPath(row)}/photo` }, readImage(), options),
    get: (row, options) => requestJson({ method: 'GET', path: rowPath(row) }, options),
    decide: (row, decision, options) =>
      requestJson({ method: 'POST', path: rowPath(row), body: jsonPayload(decision) }, options),
    refine: (row, { strokes, ...fields }, options) => {
      const body = formPayload({ ...fields, strokes: JSON.stringify(strokes) });
      const path = `${rowPath(row)}/refinements`;
      return requestJson({ method: 'POST', path, body }, options);
    },
    undoRefinement: (row, version, options) =>
      requestJson({ method: 'DELETE', path: `${rowPath(row)}/refinements/${version}` }, options),
    approve: (minConfidence, options) => {
      const body = jsonPayload({ decision: 'approved', minConfidence });
      return requestJson({ method: 'POST', path: `${path}/review`, body }, options);
    },
  };
}
