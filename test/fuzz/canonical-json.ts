import { deepEqual, equal } from 'node:assert/strict';
import canonicalize from 'canonicalize';
import { canonicalJson, checkDigest, readSigningKeys } from '../../src/look/digest.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { Problem } from '../../src/platform/problem.ts';
import { type Input, orRefusal } from './target.ts';

export const words = [
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

export const found: readonly Input[] = [];

const model = readModel(PARAMS);
const keys = readSigningKeys('a:secret');

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names that JavaScript does not keep in the order they came in, or not at all. */
const SPECIAL = /^(?:\d+|__proto__)$/;

/** Objects as they are signed: no arrays, no special names, and nothing that RFC 8785 has no form for. */
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

/** RFC 8785, whoever writes it; read and written again it stays the same, and unsigned it is refused. */
export function holds(input: Buffer): void {
  const value = parsed(input.toString());
  if (!isObject(value)) return;
  const refusal = orRefusal(() => checkDigest(model, value, keys), Problem);
  equal(refusal instanceof Problem, true);
  if (!isPlain(value)) return;
  const text = canonicalJson(value);
  equal(text, canonicalize(value));
  const again = JSON.parse(text);
  deepEqual(again, JSON.parse(JSON.stringify(value)));
  equal(canonicalJson(again), text);
}
