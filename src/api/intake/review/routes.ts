import { json, type Route, route } from '../../../http/route.ts';
import { jsonDoc } from '../../json-doc.ts';
import { CUT_OUT_MEDIA } from '../../removal/cut-out-response.ts';
import type { ReviewActions, ReviewRoutesOptions } from './actions.ts';
import { type RowRefinements, refinementRoutes } from './refinements.ts';
import {
  ApprovalRequest,
  ApprovalResponse,
  DecisionRequest,
  ReviewPage,
  ReviewQuery,
  ReviewRowHistory,
  ReviewRowResponse,
  ReviewSummary,
} from './schemas.ts';

const PROBLEMS = ['not-found', 'conflict', 'gone'] as const;

const decisionRoutes = (
  actions: ReviewActions,
  { path, name, noun, readTarget }: ReviewRoutesOptions,
): Route[] => [
  route<ReviewQuery>(`get${name}Review`, `GET ${path}/review`, {
    scope: 'any-key',
    summary: `List the cut-outs of a ${noun} that a person should look at`,
    description:
      'The most doubtful first, 50,000 at most; 409 before the end of the processing. With `needed=false`, all rows with a cut-out in upload order. A page may be empty while `links.next` is there.',
    query: ReviewQuery,
    responses: { 200: jsonDoc('A page', ReviewPage) },
    problems: PROBLEMS,
    handle: async (call) => json(await actions.list(await readTarget(call), call)),
  }),
  route(`get${name}ReviewSummary`, `GET ${path}/review/summary`, {
    scope: 'any-key',
    summary: `Count the rows of the review of a ${noun} by reason, and the pending ones by confidence`,
    description: 'Tells how many rows a bulk approval from a confidence on would include.',
    responses: {
      200: jsonDoc('The counts', ReviewSummary),
    },
    problems: PROBLEMS,
    handle: async (call) => json(await actions.counts(await readTarget(call))),
  }),
  route<unknown, ApprovalRequest>(`approve${name}Rows`, `POST ${path}/review`, {
    scope: 'any-key',
    summary: 'Approve every pending cut-out from a confidence on',
    description:
      'One rule, however many rows: those decided before stay as they are, and a later decision about a row wins. Cut-outs that need no review are included.',
    body: ApprovalRequest,
    responses: {
      200: jsonDoc('What was approved', ApprovalResponse),
    },
    problems: PROBLEMS,
    handle: async (call) => json(await actions.approve(await readTarget(call), call)),
  }),
  route(`get${name}ReviewRow`, `GET ${path}/review/:row`, {
    scope: 'any-key',
    summary: 'Get the review of a row, with its history',
    description: 'Who decided, when, and about which version of the cut-out.',
    responses: {
      200: jsonDoc('The row', ReviewRowHistory),
    },
    problems: PROBLEMS,
    handle: async (call) => json(await actions.show(await readTarget(call), call)),
  }),
  route(`get${name}ReviewPhoto`, `GET ${path}/review/:row/photo`, {
    scope: 'any-key',
    summary: 'Get the photo of a row, to compare it with the cut-out',
    description:
      'The photo of a row that needs a review is kept with the results, unless the operator says otherwise. Any other is fetched from the link of the row; if it was uploaded, or the file there is another one now, the response is 410.',
    responses: { 200: { description: 'The photo', content: CUT_OUT_MEDIA } },
    problems: [...PROBLEMS, 'upstream-failed'],
    handle: async (call) => actions.photo(await readTarget(call), call),
  }),
  route<unknown, DecisionRequest>(`decide${name}Row`, `POST ${path}/review/:row`, {
    scope: 'any-key',
    summary: 'Approve or reject the cut-out of a row, or take a decision back',
    description:
      'Send the `revision` that you have seen: 409 with the `present` decision if somebody else has decided meanwhile.',
    body: DecisionRequest,
    responses: {
      200: jsonDoc('The row', ReviewRowResponse),
    },
    problems: PROBLEMS,
    handle: async (call) => json(await actions.decide(await readTarget(call), call)),
  }),
];

export const reviewRoutes = (
  actions: ReviewActions,
  refinements: RowRefinements,
  options: ReviewRoutesOptions,
): Route[] => [...decisionRoutes(actions, options), ...refinementRoutes(refinements, options)];
