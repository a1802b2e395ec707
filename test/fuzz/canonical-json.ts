import { deepEqual, equal } from 'node:assert/strict';
import canonicalize from 'canonicalize';
import { canonicalJson, readSigningKeys, verifyDigest } from '../../src/look/digest.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type Input, orRejection } from './target.ts';

export const dictionary = [
  '{"',
  '":',
  ',"',
  'null',
  'true',
  '1e21',
  '-0',
  '\\u',
  '__proto__',
  '"digest":"v1.a.',
];

export const seeds: readonly Input[] = [
  '{"b":1,"a":{"d":null,"c":true}}',
  '{"10":1,"9":2,"a":1e21,"b":1e-7,"c":-0,"d":333333333.33333329}',
  '{"\\u20ac":"\\u20ac","\\r":"\\r","\\ud83d\\ude00":"x","\\u0080":"\\u0080"}',
  '{"__proto__":{"a":1},"constructor":{},"toString":0}',
  `{"digest":"v1.a.${'A'.repeat(43)}"}`,
  '{}',
];

export const regressions: readonly Input[] = [];

const model = readModel(PARAMS);
const keys = readSigningKeys('a:secret');

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names that JavaScript reorders or drops. */
const SPECIAL = /^(?:\d+|__proto__)$/;

/** Objects as they are signed: no arrays, no special names, and only values RFC 8785 can represent. */
const isPlain = (value: unknown): boolean =>
  isObject(value)
    ? Object.entries(value).every(
        ([name, part]) => !SPECIAL.test(name) && isPlain(name) && isPlain(part),
      )
    : !Array.isArray(value) &&
      (typeof value !== 'number' || Number.isFinite(value)) &&
      !/\p{Surrogate}/u.test(String(value));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Equals another RFC 8785 implementation, is stable when parsed and written again, and is rejected unsigned. */
export function fuzz(input: Buffer): void {
  const value = parsed(input.toString());
  if (!isObject(value)) return;
  const rejection = orRejection(() => verifyDigest(model, value, keys), Problem);
  equal(rejection instanceof Problem, true);
  if (!isPlain(value)) return;
  const text = canonicalJson(value);
  equal(text, canonicalize(value));
  const again = JSON.parse(text);
  deepEqual(again, JSON.parse(JSON.stringify(value)));
  equal(canonicalJson(again), text);
}
