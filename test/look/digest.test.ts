import { describe, expect, test } from 'vitest';
import { computeTargets, trustedSituation } from '../../src/look/comfort/signed-targets.ts';
import { digestOf, readSigningKeys } from '../../src/look/digest.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { TargetsRequest } from '../../src/look/schema.ts';
import { Problem } from '../../src/platform/problem.ts';

const model = readModel(PARAMS);
const keys = readSigningKeys('k2:new-secret-of-sixteen, k1:old-secret-of-sixteen');
const request = TargetsRequest.parse({
  weather: { tempC: 2, windMs: 4, humidityPct: 70, condition: 'cloudy' },
  met: 2,
  userProfile: { thermalProfile: 'runs-cold', coldFeet: true },
  occasion: 'work',
});
const { targets } = computeTargets(model, keys, request);

const refusal = (given: Record<string, unknown>, known = keys): string => {
  try {
    trustedSituation(model, known, given);
    return 'accepted';
  } catch (error) {
    if (error instanceof Problem) return `${error.type} ${error.errors?.[0]?.pointer}`;
    throw error;
  }
};

/** The value of each leaf of a JSON value, with the value changed. */
function* alterations(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [i, part] of value.entries())
      for (const other of alterations(part)) yield value.with(i, other);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      for (const other of alterations(part)) yield { ...value, [key]: other };
      const { [key]: _, ...rest } = value as Record<string, unknown>;
      yield rest;
    }
    yield { ...value, more: 1 };
  } else if (typeof value === 'number') yield value + 1e-9;
  else if (typeof value === 'boolean') yield !value;
  else yield `${value}x`;
}

test('the digest is HMAC-SHA-256 over canonical JSON, as the example published with the design', () => {
  const example = {
    tempC: 2,
    windMs: 4,
    humidityPct: 70,
    met: 2,
    iA: 0.283,
    kHumidity: 0.969,
    hEff: 101.2,
    regionalTargets: {
      top: 0.8,
      outerwear: 0.61,
      dress: 1.221,
      bottom: 0.561,
      shoes: 0.089,
      accessory: 0.065,
    },
    thermalProfile: 'neutral',
    total: {
      iclRequired: 1.985,
      iclResultant: 1.723,
      sumIclu: 2.184,
      iclRaw: 1.985,
      capped: false,
      floored: false,
    },
    inputs: { condition: 'cloudy', offsetC: 0, cloOffset: 0, occasion: 'work' },
    paramsVersion: 'look-params/1.0.0',
  };
  expect(digestOf(example, readSigningKeys('k1:example-key-not-a-secret'))).toBe(
    'v1.k1.mYQf66zWy5ESIOc3C7Bf9DmF1wbiVTRz0eCPRb-LH-U',
  );
});

describe('targets sent back', () => {
  test('are taken as they were issued', () => {
    expect(trustedSituation(model, keys, targets).outdoor.iclRequired).toBeGreaterThan(1.5);
  });

  test('are taken with other key order, spaces and number forms', () => {
    const reversed = Object.fromEntries(Object.entries(targets).reverse());
    const text = JSON.stringify(reversed, null, 3).replace('"tempC": 2,', '"tempC": 2.0,');
    expect(text).toContain('2.0');
    expect(refusal(JSON.parse(text))).toBe('accepted');
  });

  test('are refused whatever value in them differs', () => {
    const all = [...alterations(targets)] as Record<string, unknown>[];
    expect(all.length).toBeGreaterThan(60);
    for (const altered of all) expect(refusal(altered)).toMatch(/^targets-altered \/targets/);
  });

  test('are refused when they nest deeper than any of ours', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(refusal({ ...targets, iA: deep })).toBe('targets-altered /targets');
    expect(refusal({ ...targets, more: deep })).toBe('targets-altered /targets');
  });

  test('are refused without a digest, or with one of another form', () => {
    for (const digest of [undefined, 7, '', 'v1.k1', 'v2.k2.aaaa', targets.digest.slice(0, -1)])
      expect(refusal({ ...targets, digest })).toBe('targets-altered /targets/digest');
  });
});

describe('keys', () => {
  const old = readSigningKeys('k1:old-secret-of-sixteen');
  const issuedBefore = computeTargets(model, old, request).targets;

  test('the first signs and all verify, so that a key can be retired in two steps', () => {
    expect(targets.digest).toMatch(/^v1\.k2\./);
    expect(issuedBefore.digest).toMatch(/^v1\.k1\./);
    expect(refusal(issuedBefore)).toBe('accepted');
  });

  test('a key that is gone makes its targets expired', () => {
    expect(refusal(targets, old)).toBe('targets-expired /targets/digest');
  });

  test('the same key id with another secret makes them altered', () => {
    const other = readSigningKeys('k2:another-secret-sixteen');
    expect(refusal(targets, other)).toBe('targets-altered /targets');
  });

  test('a params version before this one with the same targets is taken', () => {
    const { digest: _, ...unsigned } = { ...targets, paramsVersion: 'look-params/1.0.0' };
    expect(targets.paramsVersion).not.toBe(unsigned.paramsVersion);
    expect(refusal({ ...unsigned, digest: digestOf(unsigned, keys) })).toBe('accepted');
  });

  test('a params version no longer taken makes them expired', () => {
    const { digest: _, ...unsigned } = { ...targets, paramsVersion: 'look-params/0.9.0' };
    const signed = { ...unsigned, digest: digestOf(unsigned, keys) };
    expect(refusal(signed)).toBe('targets-expired /targets/paramsVersion');
  });
});
