import type { Calls } from './calls.ts';
import type { ReviewPage } from './contract.ts';
import type { ReviewClient } from './interface.ts';
import { formPayload, jsonPayload } from './payload.ts';

/** The methods of `client.batches.review` and `client.feeds.review`. @param path of a batch or run */
export function reviewClient(calls: Calls, path: string): ReviewClient {
  const { get, getImage, post, readPages, remove } = calls;
  const list = `${path}/review`;
  const rowPath = (row: number): string => `${list}/${row}`;

  return {
    rows: (query, options) =>
      readPages(list, ({ rows }: ReviewPage) => rows, options, { ...query }),
    summary: (options) => get(`${list}/summary`, options),
    photo: (row, options) => getImage(`${rowPath(row)}/photo`, options),
    get: (row, options) => get(rowPath(row), options),
    decide: (row, decision, options) => post(rowPath(row), options, jsonPayload(decision)),
    refine(row, { strokes, ...fields }, options) {
      const body = formPayload({ ...fields, strokes: JSON.stringify(strokes) });
      return post(`${rowPath(row)}/refinements`, options, body);
    },
    undoRefinement: (row, version, options) =>
      remove(`${rowPath(row)}/refinements/${version}`, options),
    approve: (minConfidence, options) =>
      post(list, options, jsonPayload({ decision: 'approved', minConfidence })),
  };
}
