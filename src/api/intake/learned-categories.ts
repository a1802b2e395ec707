import { z } from 'zod';
import { json, jsonDoc, type Route, route } from '../../http/route.ts';
import type { LearnedCategories, PathDecisions } from '../../intake/learned-categories.ts';
import { learnedFrom, MAX_PATHS } from '../../intake/learned-categories.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { ChosenCategory, isStrong } from '../../taxonomy/learned.ts';
import { shopPath } from '../../taxonomy/shop-path.ts';
import { listOf, named } from '../schema.ts';

const PATH = '/intake/v1/categories';
/** Each has a copy in object storage. */
const MAX_PUT_PATHS = 1000;

const Path = z.string().min(1).max(750);
const Counts = z.record(ChosenCategory, z.number().int().min(1).max(1_000_000)).meta({
  description: 'Decisions by category, as GET /taxonomy/v1/options names them, or `none`',
});

const LearnedRequest = z
  // What `GET` answers can be sent, though it has more members.
  .object({ categories: listOf({ path: Path, counts: Counts }).min(1).max(MAX_PUT_PATHS) })
  .meta({ id: 'LearnedCategoriesRequest' });
type LearnedRequest = z.infer<typeof LearnedRequest>;

const LearnedQuery = z.object({
  path: Path.optional().meta({ description: 'Only this path; without it, all' }),
});

const LearnedList = named('LearnedCategories', {
  categories: z.array(
    z
      .object({
        path: z.string(),
        category: z.string().meta({ description: 'What most decisions say' }),
        decisions: z.number(),
        agreement: z.number().meta({ description: 'The share of the decisions that say so' }),
        strong: z.boolean().meta({
          description: 'Three decisions or more, of which nine in ten agree: overrules a title',
        }),
        counts: z.record(z.string(), z.number()),
        changedAt: z.iso.datetime(),
      })
      .meta({ id: 'LearnedCategory' }),
  ),
  maxPaths: z.number().meta({
    description: 'Of more, those that were decided about longest ago are forgotten',
  }),
});

function toResponse({ counts, changedAt, ...of }: PathDecisions) {
  const learned = learnedFrom({ ...of, counts, changedAt });
  return learned ? [{ ...learned, strong: isStrong(learned), counts, changedAt }] : [];
}

const list = async (learned: LearnedCategories, client: string) => {
  const paths = await learned.list(client);
  return json({ categories: paths.flatMap(toResponse), maxPaths: MAX_PATHS });
};

/** Returns paths as they are compared. @throws Problem invalid-request if one has no letters */
const normalised = ({ categories }: LearnedRequest) =>
  categories.map(({ path, counts }, i) => {
    const known = shopPath(path);
    if (known !== undefined) return { path: known, counts };
    const pointer = `/categories/${i}/path`;
    throw fieldProblem('invalid-request', pointer, 'has no letter or number', 'A path is empty');
  });

export const learnedCategoryRoutes = (learned: LearnedCategories): Route[] => [
  route('listLearnedCategories', `GET ${PATH}`, {
    responses: { 200: jsonDoc('What was learnt', LearnedList) },
    handle: (call) => list(learned, call.client),
  }),
  route('putLearnedCategories', `PUT ${PATH}`, {
    scope: 'taxonomy:classify',
    body: LearnedRequest,
    responses: { 200: jsonDoc('All that is known now', LearnedList) },
    async handle(call) {
      await learned.put(call.client, normalised(call.body));
      return list(learned, call.client);
    },
  }),
  route('forgetLearnedCategories', `DELETE ${PATH}`, {
    scope: 'taxonomy:classify',
    query: LearnedQuery,
    responses: { 204: { description: 'It is forgotten' } },
    async handle(call) {
      const { path } = call.query;
      const known = path === undefined ? undefined : (shopPath(path) ?? '');
      const forgotten = await learned.forget(call.client, known);
      if (known !== undefined && forgotten === 0)
        throw new Problem('not-found', 'Nothing was learnt of this path');
      return { status: 204 };
    },
  }),
];
