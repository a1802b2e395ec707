import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { json, type Route, route } from '../http/route.ts';
import { calibrate } from '../look/calibration/calibrate.ts';
import { CalibrateRequest, CalibrateResponse } from '../look/calibration/calibrate-schema.ts';
import { computeTargets } from '../look/comfort/signed-targets.ts';
import { computeDay, DayRequest, DayResponse } from '../look/day.ts';
import { readSigningKeys, type SigningKeys } from '../look/digest.ts';
import { MetaQuery, MetaResponse, metaResponse } from '../look/meta.ts';
import { computeCandidates, computeOutfits, computeScore } from '../look/outfits.ts';
import { type Model, PARAMS, readModel } from '../look/params.ts';
import { CandidatesResponse, OutfitsResponse, ScoreResponse } from '../look/responses.ts';
import { ParamsResponse, TargetsRequest, TargetsResponse } from '../look/schema.ts';
import {
  CandidatesRequest,
  OutfitsRequest,
  ScoreRequest,
} from '../look/wardrobe/wardrobe-request.ts';
import { LOCALES } from '../taxonomy/dictionary/schema.ts';
import { type Document, sendDocument } from './document.ts';

interface LookDeps {
  /** `kid:secret,kid2:secret2`: the first signs targets, all verify them. */
  signingKeys: string;
}

const MAX_BODY_BYTES = 2 * 1024 * 1024;

function toDocument(content: object): Document {
  const text = JSON.stringify(content);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  return { text, etag };
}

const okResponse = (description: string, schema: z.ZodType) => ({
  200: { description, content: { 'application/json': schema } },
});

const cacheableResponse = (description: string, schema: z.ZodType) => ({
  200: { description, content: { 'application/json': schema }, headers: ['ETag', 'Cache-Control'] },
  304: { description: 'The client already has this version' },
});

/** A stateless computation: JSON in, JSON out. */
function computeRoute<Body>(spec: {
  name: string;
  scope?: string;
  summary: string;
  description?: string;
  body: z.ZodType<Body>;
  response: z.ZodType;
  problems?: readonly string[];
  run(body: Body): object;
}): Route {
  const { name, scope = 'look-engine:compute', response, run, ...rest } = spec;
  return route<unknown, Body>({
    ...rest,
    method: 'POST',
    path: `/look/v1/${name}`,
    scope,
    maxBodyBytes: MAX_BODY_BYTES,
    responses: okResponse('Computed from this request alone', response),
    handle: ({ body }) => json(run(body)),
  });
}

const SIGNATURE_PROBLEMS = ['targets-altered', 'targets-expired'];

const documentRoutes = (model: Model): Route[] => {
  const params = toDocument(PARAMS);
  const meta = new Map(LOCALES.map((locale) => [locale, toDocument(metaResponse(model, locale))]));
  return [
    route({
      method: 'GET',
      path: '/look/v1/params',
      scope: 'keyless',
      summary: 'Every coefficient of the outfit engine, with unit and source',
      description: 'Includes the equations: enough to compute the targets yourself.',
      responses: cacheableResponse('The coefficients in use', ParamsResponse),
      handle: (call) => sendDocument(call, params),
    }),
    route<MetaQuery>({
      method: 'GET',
      path: '/look/v1/meta',
      scope: 'look-engine:read',
      summary: 'Labels and ids of every option, versions and limits',
      query: MetaQuery,
      responses: cacheableResponse('The dictionaries in one language', MetaResponse),
      handle: (call) => {
        const { locale = 'en' } = call.query;
        return sendDocument(call, meta.get(locale) ?? toDocument(metaResponse(model, locale)), {
          'content-language': locale,
          'cache-control': 'private, max-age=3600',
        });
      },
    }),
  ];
};

const computeRoutes = (model: Model, keys: SigningKeys): Route[] => [
  computeRoute({
    name: 'targets',
    summary: 'Target insulation by body region, without a wardrobe',
    body: TargetsRequest,
    response: TargetsResponse,
    run: (body) => computeTargets(model, keys, body),
  }),
  computeRoute({
    name: 'candidates',
    summary: 'The best outfits of a wardrobe, with signed targets for /score',
    body: CandidatesRequest,
    response: CandidatesResponse,
    run: (body) => computeCandidates(model, keys, body),
  }),
  computeRoute({
    name: 'score',
    summary: 'Score and rank candidates',
    description: 'Take `targets` from /candidates or /targets and send them unchanged.',
    body: ScoreRequest,
    response: ScoreResponse,
    problems: SIGNATURE_PROBLEMS,
    run: (body) => computeScore(model, keys, body),
  }),
  computeRoute({
    name: 'outfits',
    summary: 'Find, score, rank and name outfits in one call',
    body: OutfitsRequest,
    response: OutfitsResponse,
    run: (body) => computeOutfits(model, keys, body),
  }),
  computeRoute({
    name: 'day',
    summary: 'One outfit for an hourly forecast, and when to add or remove layers',
    body: DayRequest,
    response: DayResponse,
    run: (body) => computeDay(model, body),
  }),
  computeRoute({
    name: 'calibrate',
    scope: 'look-engine:calibrate',
    summary: 'Calibrate a user’s profile from how warm they felt',
    description:
      'The service stores nothing: keep `userProfile` and send it with the next request.',
    body: CalibrateRequest,
    response: CalibrateResponse,
    run: (body) => calibrate(model, body),
  }),
];

/** The routes of the outfit engine. */
export function lookRoutes({ signingKeys }: LookDeps): Route[] {
  const model = readModel(PARAMS);
  return [...documentRoutes(model), ...computeRoutes(model, readSigningKeys(signingKeys))];
}
