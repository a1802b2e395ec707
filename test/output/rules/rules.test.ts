import { describe, expect, test } from 'vitest';
import { fullBox } from '../../../src/imaging/subject-box.ts';
import { withRulePack } from '../../../src/output/request.ts';
import { withRules } from '../../../src/output/review.ts';
import { BUILT_IN_PACKS, RULE_IDS, RulePack, versionOf } from '../../../src/output/rules/pack.ts';
import {
  type JudgedPicture,
  measurementsOf,
  measurePicture,
  reportOf,
} from '../../../src/output/rules/verdicts.ts';
import { drawPicture } from '../../imaging/compliance/drawn.ts';

const pack = (rules: object): RulePack => RulePack.parse({ title: 'A shop', rules });

describe('a rule pack', () => {
  const MARGINS = { margin: { min: 0.1 } };
  const sides = (max: number, min: number) => ({
    'shortest-side': { min },
    'longest-side': { max },
  });
  test.each([
    ['no rule', {}, ''],
    ['an unknown rule', { colour: '#fff' }, ''],
    ['an unknown member', { margin: { min: 0.1, unit: '%' } }, 'margin'],
    ['a range without ends', { aspect: {} }, 'aspect'],
    ['a min above its max', { 'longest-side': { min: 900, max: 500 } }, 'longest-side.min'],
    ['a fill ratio above one', { 'fill-ratio': { min: 1.2 } }, 'fill-ratio.min'],
    ['a side that is not finite', { 'longest-side': { min: Number.NaN } }, 'longest-side.min'],
    ['a shortest side above the longest', sides(500, 900), 'shortest-side.min'],
    ['margins that leave no room', { ...MARGINS, 'fill-ratio': { min: 0.85 } }, 'margin.min'],
    [
      'fewer pixels than the sides need',
      { 'longest-side': { min: 3000 }, 'shortest-side': { min: 2000 }, megapixels: { max: 1 } },
      'megapixels.max',
    ],
    ['a colour by name', { background: { color: 'white' } }, 'background.color'],
    ['a rule that asks for a frame', { border: true }, 'border'],
    ['no file type', { 'file-type': [] }, 'file-type'],
  ])('with %s is rejected, with the path', (_, rules, path) => {
    const { error } = RulePack.safeParse({ title: 'A shop', rules });
    const paths = error?.issues.map((issue) => issue.path.join('.'));
    expect(paths).toContain(path ? `rules.${path}` : 'rules');
  });

  test('has a version that depends on its content alone', () => {
    const one = pack({ border: false, overlay: false });
    expect(versionOf(one)).toBe(versionOf(pack({ overlay: false, border: false })));
    expect(versionOf(one)).not.toBe(versionOf(pack({ border: false })));
  });

  test('that is built in says where and when its rules were read', () => {
    const expected = ['amazon-main', 'google-merchant', 'zalando-packshot'];
    expect([...BUILT_IN_PACKS.keys()]).toEqual(expected);
    for (const { sources = [] } of BUILT_IN_PACKS.values()) {
      expect(sources.length).toBeGreaterThan(0);
      expect(sources.every(({ checkedOn }) => checkedOn === '2026-11-23')).toBe(true);
    }
  });
});

const DRAWN = drawPicture(1000);

/** A right picture of 1000 x 1000 pixels with its subject in the middle half. */
function judged(changes: Partial<JudgedPicture> = {}): JudgedPicture {
  const { pixels, matte, subject } = DRAWN;
  return {
    picture: { pixels, matte },
    subject,
    box: { left: 250, top: 250, width: 500, height: 500 },
    photo: { pixels, matte: subject },
    region: fullBox(pixels),
    newGround: { r: 255, g: 255, b: 255 },
    file: { bytes: 100_000, mediaType: 'image/jpeg' },
    ...changes,
  };
}

const ALL = pack({
  background: { color: '#ffffff' },
  border: false,
  overlay: false,
  fringe: false,
  'cut-by-frame': false,
  'fill-ratio': { min: 0.4, max: 0.6 },
  margin: { min: 0.2 },
  aspect: { min: 1, max: 1 },
  'longest-side': { min: 1000 },
  'shortest-side': { min: 1000 },
  megapixels: { max: 2 },
  'file-type': ['image/jpeg'],
  'file-bytes': { max: 100_000 },
});

describe('a verdict', () => {
  test('passes every rule for a right picture, with what was measured', () => {
    const report = reportOf(measurePicture(judged(), ALL), 'all', ALL);
    expect(report).toMatchObject({ pack: 'all', version: versionOf(ALL), passed: true });
    expect(report.verdicts.map(({ id }) => id)).toEqual(RULE_IDS);
    expect(report.verdicts.every(({ passed, advice }) => passed && !advice)).toBe(true);
    expect(report.verdicts.find(({ id }) => id === 'fill-ratio')).toEqual({
      id: 'fill-ratio',
      passed: true,
      measured: 0.5,
      limit: { min: 0.4, max: 0.6 },
    });
  });

  test.each<[string, string, object, string | number]>([
    ['file-type', 'is a PNG', { 'file-type': ['image/webp'] }, 'image/jpeg'],
    ['file-bytes', 'is too large', { 'file-bytes': { max: 99_999 } }, 100_000],
    ['fill-ratio', 'is too small', { 'fill-ratio': { min: 0.85 } }, 0.5],
    ['margin', 'is too narrow', { margin: { min: 0.3 } }, 0.25],
    ['aspect', 'is a square', { aspect: { max: 0.7 } }, 1],
    ['longest-side', 'is too long', { 'longest-side': { max: 900 } }, 1000],
    ['shortest-side', 'is too short', { 'shortest-side': { min: 1200 } }, 1000],
    ['megapixels', 'has too many pixels', { megapixels: { max: 0.5 } }, 1],
    ['background', 'is on white', { background: { color: '#eeeeee' } }, 1],
  ])('%s fails a picture that %s, and says what to do', (id, _, rules, measured) => {
    const [verdict] = reportOf(measurePicture(judged(), pack(rules)), 'own', pack(rules)).verdicts;
    expect(verdict).toMatchObject({ id, passed: false, measured });
    expect(verdict?.advice).toMatch(/^[A-Z].*[^.]$/);
  });

  test('is the same after its measurements were stored', () => {
    const report = reportOf(measurePicture(judged(), ALL), 'all', ALL);
    expect(reportOf(measurementsOf(report), 'all', ALL)).toEqual(report);
    expect(JSON.stringify(measurementsOf(report)).length).toBeLessThan(500);
  });

  test('passes what cannot be told', () => {
    const overlay = pack({ overlay: false });
    const expected = { passed: true, verdicts: [{ id: 'overlay', passed: true, limit: {} }] };
    expect(reportOf({ overlay: null }, 'own', overlay)).toMatchObject(expected);
  });

  test('asks for a person by its rule', () => {
    const rules = pack({ 'fill-ratio': { min: 0.85 } });
    const report = reportOf(measurePicture(judged(), rules), 'own', rules);
    const expected = { needed: true, reasons: ['cut-by-frame', 'rule:fill-ratio'] };
    expect(withRules({ needed: false, reasons: ['cut-by-frame'] }, report)).toEqual(expected);
    const expectedWithRules = { needed: false, reasons: [] };
    expect(withRules({ needed: false, reasons: [] }, undefined)).toEqual(expectedWithRules);
  });
});

test('options that fix the output get a format that the pack allows', () => {
  const jpegOnly = pack({ 'file-type': ['image/jpeg'] });
  expect(withRulePack({ fixRules: true }, jpegOnly).format).toBe('jpeg');
  expect(withRulePack({}, jpegOnly).format).toBeUndefined();
  const pngOnly = pack({ 'file-type': ['image/png'] });
  expect(withRulePack({ fixRules: true, format: 'jpeg' }, pngOnly).format).toBeUndefined();
});
