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
import { computeTrip, TripRequest } from '../../look/trips/trip.ts';
import {
  CandidatesRequest,
  OutfitsRequest,
  ScoreRequest,
} from '../../look/wardrobe/wardrobe-request.ts';
import { Problem } from '../../platform/problem.ts';
import type { Locale } from '../../taxonomy/dictionary/schema.ts';
import type { Language } from '../language.ts';

const codes = (characters: string): readonly number[] =>
  [...characters].map((character) => character.charCodeAt(0));
const [QUOTE, BACKSLASH, ...BRACKETS] = codes('"\\[{]}');
const [OPEN_ARRAY, OPEN_OBJECT, CLOSE_ARRAY, CLOSE_OBJECT] = BRACKETS;

/** Returns how many arrays and objects of a valid JSON text are within each other at most. */
function jsonDepth(text: string): number {
  let depth = 0;
  let max = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) at += Number(code === BACKSLASH);
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) max = Math.max(max, ++depth);
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--;
  }
  return max;
}

interface Engine {
  model: Model;
  keys: SigningKeys;
}

interface Localised {
  locale?: Locale | undefined;
}

interface Computation {
  request: z.ZodType<Localised>;
  run(engine: Engine, body: Localised): object;
  /** Whether the response has texts for people, and the request a `locale`. */
  hasTexts: boolean;
}

/** The cast is safe because `OutfitEngine` parses the body with the schema of the same row. */
const computation = <Body>(
  request: z.ZodType<Body>,
  run: (engine: Engine, body: Body) => object,
  { hasTexts } = { hasTexts: true },
) => ({ request, run, hasTexts }) as unknown as Computation;

/** The stateless computations of the outfit engine, by the last part of their paths. */
export const COMPUTATIONS = {
  targets: computation(TargetsRequest, ({ model, keys }, body) =>
    computeTargets(model, keys, body),
  ),
  candidates: computation(CandidatesRequest, ({ model, keys }, body) =>
    computeCandidates(model, keys, body),
  ),
  score: computation(ScoreRequest, ({ model, keys }, body) => computeScore(model, keys, body)),
  outfits: computation(OutfitsRequest, ({ model, keys }, body) =>
    computeOutfits(model, keys, body),
  ),
  day: computation(DayRequest, ({ model }, body) => computeDay(model, body)),
  trip: computation(TripRequest, ({ model }, body) => computeTrip(model, body)),
  calibrate: computation(CalibrateRequest, ({ model }, body) => calibrate(model, body), {
    hasTexts: false,
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

/** A response, and its language if it has texts for people. */
interface Computed {
  content: object;
  language?: Language;
}

/** The outfit engine, for requests as they arrive. */
export class OutfitEngine {
  readonly #engine: Engine;

  /** @param signingKeys `kid:secret,kid2:secret2`: the first signs targets, all verify them */
  constructor(signingKeys: string) {
    this.#engine = { model: readModel(PARAMS), keys: readSigningKeys(signingKeys) };
  }

  /**
   * Parses the body of a request, JSON or undefined if it has none, and computes its response, in the
   * `preferred` language unless the body names one.
   * @throws Problem
   */
  compute(name: ComputationName, text: string | undefined, preferred: Locale): Computed {
    const { request, run, hasTexts } = COMPUTATIONS[name];
    const body = parse(request, readBody(text), 'body');
    if (!hasTexts) return { content: run(this.#engine, body) };
    const { locale = preferred } = body;
    const language = { locale, isNegotiated: body.locale === undefined };
    return { content: run(this.#engine, { ...body, locale }), language };
  }
}

/** Objects of a body, most of them items of its wardrobe, that add the work of an outfit from a few items. */
const OBJECTS_PER_TURN: Readonly<Record<'day' | 'trip' | 'others', number>> = {
  day: 150,
  trip: 300,
  others: 400,
};
const MAX_DAYS = 14;

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** Returns the days of a trip; the most there may be if its names are escaped. */
const daysIn = (body: string): number =>
  body.includes('\\u') ? MAX_DAYS : Math.min(MAX_DAYS, Math.max(1, countOf(body, '"date"')));

/**
 * Predicts the work of a computation from its unread body, in turns: one is an outfit from a few items, about 50 ms of
 * CPU. The body cannot make it look smaller. docs/adr/0086-fairness-in-work.md has the measurements.
 */
export function predictedTurns(name: ComputationName, body = ''): number {
  const per = OBJECTS_PER_TURN[name === 'day' || name === 'trip' ? name : 'others'];
  const turns = 1 + countOf(body, '{') / per;
  return name === 'trip' ? daysIn(body) * turns : turns;
}
