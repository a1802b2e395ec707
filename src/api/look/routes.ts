import type { z } from 'zod';
import type { Limits } from '../../http/limits.ts';
import {
  type Call,
  json,
  jsonDoc,
  jsonText,
  type Reply,
  type Route,
  route,
} from '../../http/route.ts';
import { CalibrateResponse } from '../../look/calibration/calibrate-schema.ts';
import { DayResponse } from '../../look/day.ts';
import { MetaQuery, MetaResponse, metaResponse } from '../../look/meta.ts';
import { type Model, PARAMS, readModel } from '../../look/params.ts';
import { CandidatesResponse, OutfitsResponse, ScoreResponse } from '../../look/responses.ts';
import { ParamsResponse, TargetsResponse } from '../../look/schema.ts';
import { TripResponse } from '../../look/trips/trip.ts';
import { isHeavy, unitsOf } from '../../queue/turns.ts';
import { LOCALES, type Locale } from '../../taxonomy/dictionary/schema.ts';
import { createDocument, type Document, sendDocument } from '../document.ts';
import { languageHeaders, languageOf, preferredLocale } from '../language.ts';
import { COMPUTATIONS, type ComputationName, OutfitEngine, predictedTurns } from './compute.ts';
import type { LookThreads } from './thread-pool.ts';

export interface LookDeps {
  /** `kid:secret,kid2:secret2`: the first signs targets, all verify them. */
  signingKeys: string;
  threads: Pick<LookThreads, 'run'>;
  /** Charges heavy work to the rate limit of its caller, as so many requests. */
  charge: Limits['charge'];
}

interface ComputeDeps extends Pick<LookDeps, 'threads' | 'charge'> {
  engine: OutfitEngine;
}

const MAX_BODY_BYTES = 2 * 1024 * 1024;

const cacheableResponse = (description: string, schema: z.ZodType) => ({
  200: {
    ...jsonDoc(description, schema),
    headers: ['ETag', 'Cache-Control', 'Content-Language'] as const,
  },
  304: { description: 'The client already has this version' },
});

/** These take under 2 ms if their body is short; all others search a wardrobe. */
const QUICK: readonly ComputationName[] = ['targets', 'calibrate'];
const MAX_QUICK_CHARS = 1024;

/** Computes a response, in a thread unless that is quick. */
async function computeReply(
  { engine, threads, charge }: ComputeDeps,
  name: ComputationName,
  call: Call,
): Promise<Reply> {
  const { caller, body, signal } = call;
  const text = typeof body === 'string' ? body : undefined;
  const isQuick = !text || (QUICK.includes(name) && text.length <= MAX_QUICK_CHARS);
  const preferred = preferredLocale(call);
  if (isQuick) return json(engine.compute(name, text, preferred).content);
  const { client, weight } = caller;
  const work = predictedTurns(name, text);
  const owner = { client, weight, signal };
  if (isHeavy(work)) await charge(caller, unitsOf(work));
  const computed = await threads.run({ name, body: text, preferred }, owner);
  return jsonText(computed.json, computed.language && languageHeaders(computed.language));
}

const documentRoutes = (model: Model): Route[] => {
  const params = createDocument(JSON.stringify(PARAMS));
  const metaOf = (locale: Locale) => createDocument(JSON.stringify(metaResponse(model, locale)));
  const documents = LOCALES.map((locale) => [locale, metaOf(locale)]);
  const meta: Readonly<Record<Locale, Document>> = Object.fromEntries(documents);
  return [
    route('getLookParams', 'GET /look/v1/params', {
      scope: 'keyless',
      anyOrigin: true,
      responses: cacheableResponse('The coefficients in use', ParamsResponse),
      handle: (call) => sendDocument(call, params),
    }),
    route('getLookMeta', 'GET /look/v1/meta', {
      scope: 'look-engine:read',
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

interface ComputeRow {
  name: ComputationName;
  operationId: string;
  response: z.ZodType;
  scope?: string;
}

// biome-ignore format: a table reads best aligned
const COMPUTE_ROUTES: readonly ComputeRow[] = [
  { name: 'targets',    operationId: 'computeTargets',   response: TargetsResponse },
  { name: 'candidates', operationId: 'findCandidates',   response: CandidatesResponse },
  { name: 'score',      operationId: 'scoreCandidates',  response: ScoreResponse },
  { name: 'outfits',    operationId: 'createOutfits',    response: OutfitsResponse },
  { name: 'day',        operationId: 'planDay',          response: DayResponse },
  { name: 'trip',       operationId: 'planTrip',         response: TripResponse },
  { name: 'calibrate',  operationId: 'calibrateProfile', response: CalibrateResponse, scope: 'look-engine:calibrate' },
];

function computeRoute(deps: ComputeDeps, row: ComputeRow): Route {
  const { name, operationId, response, ...rest } = row;
  const { request, hasTexts } = COMPUTATIONS[name];
  const doc = jsonDoc('Computed from this request alone', response);
  return route(operationId, `POST /look/v1/${name}`, {
    scope: 'look-engine:compute',
    ...rest,
    uncheckedBody: request,
    maxBodyBytes: MAX_BODY_BYTES,
    responses: { 200: { ...doc, headers: hasTexts ? ['Content-Language'] : [] } },
    handle: (call) => computeReply(deps, name, call),
  });
}

export function lookRoutes({ signingKeys, threads, charge }: LookDeps): Route[] {
  const deps = { engine: new OutfitEngine(signingKeys), threads, charge };
  return [
    ...documentRoutes(readModel(PARAMS)),
    ...COMPUTE_ROUTES.map((spec) => computeRoute(deps, spec)),
  ];
}
