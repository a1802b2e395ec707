import { describe, expect, test } from 'vitest';
import { computeTargets, verifyTargets } from '../../src/look/comfort/signed-targets.ts';
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

const rejection = (given: Record<string, unknown>, known = keys): string => {
  try {
    verifyTargets(model, known, given);
    return 'accepted';
  } catch (error) {
    if (error instanceof Problem) return `${error.type} ${error.errors?.[0]?.pointer}`;
    throw error;
  }
};

/** Every change of one leaf of a JSON value. */
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

test('the digest is HMAC-SHA-256 over canonical JSON, as in the published example', () => {
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
  test('are accepted unchanged', () => {
    expect(verifyTargets(model, keys, targets).situation.outdoor.iclRequired).toBeGreaterThan(1.5);
  });

  test('are accepted with another key order, whitespace and number format', () => {
    const reversed = Object.fromEntries(Object.entries(targets).reverse());
    const text = JSON.stringify(reversed, null, 3).replace('"tempC": 2,', '"tempC": 2.0,');
    expect(text).toContain('2.0');
    expect(rejection(JSON.parse(text))).toBe('accepted');
  });

  test('are rejected if any value differs', () => {
    const all = [...alterations(targets)] as Record<string, unknown>[];
    expect(all.length).toBeGreaterThan(60);
    for (const altered of all) expect(rejection(altered)).toMatch(/^targets-altered \/targets/);
  });

  test('are rejected if they nest deeper than issued targets', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(rejection({ ...targets, iA: deep })).toBe('targets-altered /targets');
    expect(rejection({ ...targets, more: deep })).toBe('targets-altered /targets');
  });

  test('are rejected without a digest or with a malformed one', () => {
    for (const digest of [undefined, 7, '', 'v1.k1', 'v2.k2.aaaa', targets.digest.slice(0, -1)])
      expect(rejection({ ...targets, digest })).toBe('targets-altered /targets/digest');
  });
});

describe('keys', () => {
  const old = readSigningKeys('k1:old-secret-of-sixteen');
  const issuedBefore = computeTargets(model, old, request).targets;

  test('the first signs and all verify: a key can be retired in two steps', () => {
    expect(targets.digest).toMatch(/^v1\.k2\./);
    expect(issuedBefore.digest).toMatch(/^v1\.k1\./);
    expect(rejection(issuedBefore)).toBe('accepted');
  });

  test('targets of a removed key are expired', () => {
    expect(rejection(targets, old)).toBe('targets-expired /targets/digest');
  });

  test('targets are altered if the key id has another secret', () => {
    const other = readSigningKeys('k2:another-secret-sixteen');
    expect(rejection(targets, other)).toBe('targets-altered /targets');
  });

  test('an earlier params version with the same targets is accepted', () => {
    const { digest: _, ...unsigned } = { ...targets, paramsVersion: 'look-params/1.0.0' };
    expect(targets.paramsVersion).not.toBe(unsigned.paramsVersion);
    expect(rejection({ ...unsigned, digest: digestOf(unsigned, keys) })).toBe('accepted');
  });

  test('targets of an unsupported params version are expired', () => {
    const { digest: _, ...unsigned } = { ...targets, paramsVersion: 'look-params/0.9.0' };
    const signed = { ...unsigned, digest: digestOf(unsigned, keys) };
    expect(rejection(signed)).toBe('targets-expired /targets/paramsVersion');
  });
});
