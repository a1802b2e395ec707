import { json, jsonDoc, type Route, route } from '../../../http/route.ts';
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

const decisionRoutes = (
  actions: ReviewActions,
  { path, name, readTarget }: ReviewRoutesOptions,
): Route[] => [
  route(`get${name}Review`, `GET ${path}/review`, {
    query: ReviewQuery,
    responses: { 200: jsonDoc('A page', ReviewPage) },
    handle: async (call) => json(await actions.list(await readTarget(call), call)),
  }),
  route(`get${name}ReviewSummary`, `GET ${path}/review/summary`, {
    responses: { 200: jsonDoc('The counts', ReviewSummary) },
    handle: async (call) => json(await actions.counts(await readTarget(call))),
  }),
  route(`approve${name}Rows`, `POST ${path}/review`, {
    body: ApprovalRequest,
    responses: { 200: jsonDoc('What was approved', ApprovalResponse) },
    handle: async (call) => json(await actions.approve(await readTarget(call), call)),
  }),
  route(`get${name}ReviewRow`, `GET ${path}/review/:row`, {
    responses: { 200: jsonDoc('The row', ReviewRowHistory) },
    handle: async (call) => json(await actions.show(await readTarget(call), call)),
  }),
  route(`get${name}ReviewPhoto`, `GET ${path}/review/:row/photo`, {
    responses: { 200: { description: 'The photo', content: CUT_OUT_MEDIA } },
    handle: async (call) => actions.photo(await readTarget(call), call),
  }),
  route(`decide${name}Row`, `POST ${path}/review/:row`, {
    body: DecisionRequest,
    responses: { 200: jsonDoc('The row', ReviewRowResponse) },
    handle: async (call) => json(await actions.decide(await readTarget(call), call)),
  }),
];

export const reviewRoutes = (
  actions: ReviewActions,
  refinements: RowRefinements,
  options: ReviewRoutesOptions,
): Route[] => [...decisionRoutes(actions, options), ...refinementRoutes(refinements, options)];
