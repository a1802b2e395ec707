import type { z } from 'zod';
import { parseJson } from '../../http/json-body.ts';
import { parse } from '../../http/parse.ts';
import { calibrate } from '../../look/calibration/calibrate.ts';
import { CalibrateRequest } from '../../look/calibration/calibrate-schema.ts';
import { computeTargets } from '../../look/comfort/signed-targets.ts';
import { computeDay, DayRequest } from '../../look/day.ts';
import { readSigningKeys, type SigningKeys } from '../../look/digest.ts';
import { computeCandidates, computeOutfits, computeScore } from '../../look/outfits.ts';
import { type Model, PARAMS, readModel } from '../../look/params.ts';
import { TargetsRequest } from '../../look/schema.ts';
import {
  CandidatesRequest,
  OutfitsRequest,
  ScoreRequest,
} from '../../look/wardrobe/wardrobe-request.ts';
import { Problem } from '../../platform/problem.ts';
import { jsonDepth } from './json-depth.ts';

interface Engine {
  model: Model;
  keys: SigningKeys;
}

interface Computation<Body> {
  request: z.ZodType<Body>;
  run(engine: Engine, body: Body): object;
}

/** The cast is safe because `createCompute` parses the body with the schema of the same row. */
const computation = <Body>(row: Computation<Body>) => row as unknown as Computation<unknown>;

/** The stateless computations of the outfit engine, by the last part of their paths. */
export const COMPUTATIONS = {
  targets: computation({
    request: TargetsRequest,
    run: ({ model, keys }, body) => computeTargets(model, keys, body),
  }),
  candidates: computation({
    request: CandidatesRequest,
    run: ({ model, keys }, body) => computeCandidates(model, keys, body),
  }),
  score: computation({
    request: ScoreRequest,
    run: ({ model, keys }, body) => computeScore(model, keys, body),
  }),
  outfits: computation({
    request: OutfitsRequest,
    run: ({ model, keys }, body) => computeOutfits(model, keys, body),
  }),
  day: computation({ request: DayRequest, run: ({ model }, body) => computeDay(model, body) }),
  calibrate: computation({
    request: CalibrateRequest,
    run: ({ model }, body) => calibrate(model, body),
  }),
};

export type ComputationName = keyof typeof COMPUTATIONS;

/** Of arrays and objects in a body. Some fields accept anything, which is then read recursively. */
const MAX_DEPTH = 1000;

/** Parses a body. @throws Problem invalid-request */
function readBody(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const body = parseJson(text);
  if (jsonDepth(text) <= MAX_DEPTH) return body;
  throw new Problem('invalid-request', 'The body is nested too deeply');
}

/**
 * Parses the body of a request, JSON or undefined if it has none, and computes its response.
 * Throws Problem.
 */
export type Compute = (name: ComputationName, body: string | undefined) => object;

/**
 * Builds the outfit engine.
 * @param signingKeys `kid:secret,kid2:secret2`: the first signs targets, all verify them
 */
export function createCompute(signingKeys: string): Compute {
  const engine = { model: readModel(PARAMS), keys: readSigningKeys(signingKeys) };
  return (name, body) => {
    const { request, run } = COMPUTATIONS[name];
    return run(engine, parse(request, readBody(body), 'body'));
  };
}
