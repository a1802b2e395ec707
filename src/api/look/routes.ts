import type { z } from 'zod';
import type { Limits } from '../../http/limits.ts';
import type { ResponseHeader } from '../../http/openapi/headers.ts';
import { type Call, json, jsonText, type Reply, type Route, route } from '../../http/route.ts';
import { CalibrateResponse } from '../../look/calibration/calibrate-schema.ts';
import { DayResponse } from '../../look/day.ts';
import { MetaQuery, MetaResponse, metaResponse } from '../../look/meta.ts';
import { type Model, PARAMS, readModel } from '../../look/params.ts';
import { CandidatesResponse, OutfitsResponse, ScoreResponse } from '../../look/responses.ts';
import { ParamsResponse, TargetsResponse } from '../../look/schema.ts';
import { TripResponse } from '../../look/trips/trip.ts';
import { isHeavy, unitsOf } from '../../queue/service-time.ts';
import { LOCALES, type Locale } from '../../taxonomy/dictionary/schema.ts';
import { createDocument, type Document, sendDocument } from '../document.ts';
import { languageHeaders, languageOf, preferredLocale } from '../language.ts';
import { COMPUTATIONS, type ComputationName, type Compute, createCompute } from './compute.ts';
import { predictedTurns } from './predicted-work.ts';
import type { LookThreads } from './thread-pool.ts';

export interface LookDeps {
  /** `kid:secret,kid2:secret2`: the first signs targets, all verify them. */
  signingKeys: string;
  threads: Pick<LookThreads, 'run'>;
  /** Charges heavy work to the rate limit of its caller, as so many requests. */
  charge: Limits['charge'];
}

interface ComputeDeps extends Pick<LookDeps, 'threads' | 'charge'> {
  compute: Compute;
}

const MAX_BODY_BYTES = 2 * 1024 * 1024;

const okResponse = (
  description: string,
  schema: z.ZodType,
  headers: readonly ResponseHeader[] = [],
) => ({ 200: { description, content: { 'application/json': schema }, headers } });

const cacheableResponse = (description: string, schema: z.ZodType) => ({
  200: {
    description,
    content: { 'application/json': schema },
    headers: ['ETag', 'Cache-Control', 'Content-Language'] as const,
  },
  304: { description: 'The client already has this version' },
});

/** These take under 2 ms if their body is short; all others search a wardrobe. */
const QUICK: readonly ComputationName[] = ['targets', 'calibrate'];
const MAX_QUICK_CHARS = 1024;

/** Computes a response, in a thread unless that is quick. */
async function computeReply(
  { compute, threads, charge }: ComputeDeps,
  name: ComputationName,
  call: Call,
): Promise<Reply> {
  const { caller, body, signal } = call;
  const text = typeof body === 'string' ? body : undefined;
  const isQuick = !text || (QUICK.includes(name) && text.length <= MAX_QUICK_CHARS);
  const preferred = preferredLocale(call);
  if (isQuick) return json(compute(name, text, preferred).content);
  const { client = '', weight = 1 } = caller ?? {};
  const work = predictedTurns(name, text);
  const owner = { client, weight, signal };
  if (caller && isHeavy(work)) await charge(caller, unitsOf(work));
  const computed = await threads.run({ name, body: text, preferred }, owner);
  return jsonText(computed.json, computed.language && languageHeaders(computed.language));
}

interface ComputeSpec {
  name: ComputationName;
  scope?: string;
  operationId: string;
  summary: string;
  description: string;
  response: z.ZodType;
  problems?: readonly string[];
}

function computeRoute(deps: ComputeDeps, spec: ComputeSpec): Route {
  const { name, scope = 'look-engine:compute', response, ...rest } = spec;
  return route({
    ...rest,
    method: 'POST',
    path: `/look/v1/${name}`,
    scope,
    uncheckedBody: COMPUTATIONS[name].request,
    maxBodyBytes: MAX_BODY_BYTES,
    responses: okResponse(
      'Computed from this request alone',
      response,
      COMPUTATIONS[name].hasTexts && ['Content-Language'],
    ),
    handle: (call) => computeReply(deps, name, call),
  });
}

const ITEM_PROBLEMS = ['dictionary-version-unsupported'];
const SCORE_PROBLEMS = [...ITEM_PROBLEMS, 'targets-altered', 'targets-expired'];

const documentRoutes = (model: Model): Route[] => {
  const params = createDocument(JSON.stringify(PARAMS));
  const metaOf = (locale: Locale) => createDocument(JSON.stringify(metaResponse(model, locale)));
  const documents = LOCALES.map((locale) => [locale, metaOf(locale)]);
  const meta: Readonly<Record<Locale, Document>> = Object.fromEntries(documents);
  return [
    route('getLookParams', 'GET /look/v1/params', {
      scope: 'keyless',
      anyOrigin: true,
      summary: 'Every coefficient of the outfit engine, with unit and source',
      description: 'Includes the equations: enough to compute the targets yourself.',
      responses: cacheableResponse('The coefficients in use', ParamsResponse),
      handle: (call) => sendDocument(call, params),
    }),
    route<MetaQuery>('getLookMeta', 'GET /look/v1/meta', {
      scope: 'look-engine:read',
      summary: 'Labels and ids of every option, versions and limits',
      description:
        'What a form for the other requests needs. It changes only with a release: cache it and revalidate with `If-None-Match`.',
      query: MetaQuery,
      responses: cacheableResponse('The dictionaries in one language', MetaResponse),
      handle: (call) => {
        const language = languageOf(call.query.locale, call);
        return sendDocument(call, meta[language.locale], {
          'cache-control': 'private, max-age=3600',
          ...languageHeaders(language),
        });
      },
    }),
  ];
};

const COMPUTE_ROUTES: readonly ComputeSpec[] = [
  {
    name: 'targets',
    operationId: 'computeTargets',
    summary: 'Target insulation by body region, without a wardrobe',
    description:
      '`targets` is the need outdoors, `indoorTargets` that of the base outfit; the difference is what to put on for outside.',
    response: TargetsResponse,
  },
  {
    name: 'candidates',
    operationId: 'findCandidates',
    summary: 'The best outfits of a wardrobe, with signed targets for /score',
    description:
      'The best valid combinations of the wardrobe, unscored, and the targets they were selected for.',
    response: CandidatesResponse,
    problems: ITEM_PROBLEMS,
  },
  {
    name: 'score',
    operationId: 'scoreCandidates',
    summary: 'Score and rank candidates',
    description: 'Take `targets` from /candidates or /targets and send them unchanged.',
    response: ScoreResponse,
    problems: SCORE_PROBLEMS,
  },
  {
    name: 'outfits',
    operationId: 'createOutfits',
    summary: 'Find, score, rank and name outfits in one call',
    description:
      'The simple way: weather, activity, profile and wardrobe in, outfits with scores and reasons out.',
    response: OutfitsResponse,
    problems: ITEM_PROBLEMS,
  },
  {
    name: 'day',
    operationId: 'planDay',
    summary: 'One outfit for an hourly forecast, and when to add or remove layers',
    description:
      'The outfit whose worst hour is best, with the layers to put on and take off before each hour.',
    response: DayResponse,
    problems: ITEM_PROBLEMS,
  },
  {
    name: 'trip',
    operationId: 'planTrip',
    summary: 'What to take on a trip, and an outfit for each day',
    description:
      'The items, at most `maxItems`, with which the mean score of the days is largest; `gap` is 0 if that is proved.',
    response: TripResponse,
    problems: ITEM_PROBLEMS,
  },
  {
    name: 'calibrate',
    scope: 'look-engine:calibrate',
    operationId: 'calibrateProfile',
    summary: 'Calibrate a user’s profile from how warm they felt',
    description:
      'The service stores nothing: keep `userProfile` and send it with the next request.',
    response: CalibrateResponse,
    problems: ITEM_PROBLEMS,
  },
];

export function lookRoutes({ signingKeys, threads, charge }: LookDeps): Route[] {
  const deps = { compute: createCompute(signingKeys), threads, charge };
  return [
    ...documentRoutes(readModel(PARAMS)),
    ...COMPUTE_ROUTES.map((spec) => computeRoute(deps, spec)),
  ];
}
