import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { json, type Route, route } from '../http/route.ts';
import { calibrate } from '../look/calibration/calibrate.ts';
import { CalibrateRequest, CalibrateResponse } from '../look/calibration/calibrate-schema.ts';
import { computeTargets } from '../look/comfort/signed-targets.ts';
import { computeDay, DayRequest, DayResponse } from '../look/day.ts';
import { readSigningKeys, type SigningKeys } from '../look/digest.ts';
import { MetaQuery, MetaResponse, metaAnswer } from '../look/meta.ts';
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

export interface LookDeps {
  /** `kid:secret,kid2:secret2`: the first signs targets, all verify them. */
  signingKeys: string;
}

const MAX_BODY_BYTES = 2 * 1024 * 1024;

function documentOf(content: object): Document {
  const text = JSON.stringify(content);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  return { text, etag };
}

const answers = (description: string, schema: z.ZodType) => ({
  200: { description, content: { 'application/json': schema } },
});

const cached = (description: string, schema: z.ZodType) => ({
  200: { description, content: { 'application/json': schema }, headers: ['ETag', 'Cache-Control'] },
  304: { description: 'You have this version already' },
});

/** One row for a computation: JSON in, JSON out, nothing kept. */
function compute<Body>(row: {
  name: string;
  scope?: string;
  summary: string;
  description?: string;
  body: z.ZodType<Body>;
  answer: z.ZodType;
  problems?: readonly string[];
  run(body: Body): object;
}): Route {
  const { name, scope = 'look-engine:compute', answer, run, ...rest } = row;
  return route<unknown, Body>({
    ...rest,
    method: 'POST',
    path: `/look/v1/${name}`,
    scope,
    maxBodyBytes: MAX_BODY_BYTES,
    answers: answers('Computed from this request alone', answer),
    handle: ({ body }) => json(run(body)),
  });
}

const SIGNED = ['targets-altered', 'targets-expired'];

const published = (model: Model): Route[] => {
  const params = documentOf(PARAMS);
  const meta = new Map(LOCALES.map((locale) => [locale, documentOf(metaAnswer(model, locale))]));
  return [
    route({
      method: 'GET',
      path: '/look/v1/params',
      scope: 'keyless',
      summary: 'Every coefficient of the outfit engine, with unit and source',
      description: 'With the equations: enough to compute the targets yourself.',
      answers: cached('The coefficients in force', ParamsResponse),
      handle: (call) => sendDocument(call, params),
    }),
    route<MetaQuery>({
      method: 'GET',
      path: '/look/v1/meta',
      scope: 'look-engine:read',
      summary: 'Words to show and to send, versions and limits',
      query: MetaQuery,
      answers: cached('The dictionaries in one language', MetaResponse),
      handle: (call) => {
        const { locale = 'en' } = call.query;
        return sendDocument(call, meta.get(locale) ?? documentOf(metaAnswer(model, locale)), {
          'content-language': locale,
          'cache-control': 'private, max-age=3600',
        });
      },
    }),
  ];
};

const computed = (model: Model, keys: SigningKeys): Route[] => [
  compute({
    name: 'targets',
    summary: 'Insulation to wear by body region, without a wardrobe',
    body: TargetsRequest,
    answer: TargetsResponse,
    run: (body) => computeTargets(model, keys, body),
  }),
  compute({
    name: 'candidates',
    summary: 'The best outfits of a wardrobe, with signed targets for /score',
    body: CandidatesRequest,
    answer: CandidatesResponse,
    run: (body) => computeCandidates(model, keys, body),
  }),
  compute({
    name: 'score',
    summary: 'Score and rank candidates',
    description: '`targets` come from /candidates or /targets and are sent back unchanged.',
    body: ScoreRequest,
    answer: ScoreResponse,
    problems: SIGNED,
    run: (body) => computeScore(model, keys, body),
  }),
  compute({
    name: 'outfits',
    summary: 'Outfits found, scored, put in order and named, in one call',
    body: OutfitsRequest,
    answer: OutfitsResponse,
    run: (body) => computeOutfits(model, keys, body),
  }),
  compute({
    name: 'day',
    summary: 'One outfit for an hourly forecast: what to put on and take off when',
    body: DayRequest,
    answer: DayResponse,
    run: (body) => computeDay(model, body),
  }),
  compute({
    name: 'calibrate',
    scope: 'look-engine:calibrate',
    summary: 'Learn a person’s profile from how warm they felt',
    description: 'Nothing is kept here: store `userProfile` and send it with the next request.',
    body: CalibrateRequest,
    answer: CalibrateResponse,
    run: (body) => calibrate(model, body),
  }),
];

/** The routes of the outfit engine. */
export function lookRoutes({ signingKeys }: LookDeps): Route[] {
  const model = readModel(PARAMS);
  return [...published(model), ...computed(model, readSigningKeys(signingKeys))];
}
