import { describe, expect, test } from 'vitest';
import { toGeometry } from '../../src/output/geometry.ts';
import {
  mergePreset,
  OutputRequest,
  parseColor,
  toCutOutOptions,
} from '../../src/output/request.ts';

const optionsOf = (request: object) => toCutOutOptions(OutputRequest.parse(request));
const invalidFields = (request: object) =>
  OutputRequest.safeParse(request).error?.issues.map(({ path }) => path.join('/'));

const DEFAULTS = {
  format: 'png',
  channels: 'rgba',
  crop: 'false',
  scale: 'original',
  shadow: 'none',
};

test('defaults are left out', () => {
  expect(optionsOf({})).toEqual({});
  expect(optionsOf({ ...DEFAULTS, position: 'original', semitransparency: 'true' })).toEqual({});
  expect(optionsOf({ format: '', roi: '', crop: '', maxOutputMegapixels: '' })).toEqual({});
});

test('what a request sends wins over its preset, also over what conflicts with it', () => {
  const preset = { backgroundColor: 'white', crop: true, cropMargin: '5%', quality: 'fast' };
  expect(mergePreset(preset, {})).toEqual(preset);
  const expected = { ...preset, quality: 'high' };
  expect(mergePreset(preset, { quality: 'high', crop: undefined })).toEqual(expected);
  const merged = { backgroundColor: 'white', crop: false, quality: 'fast' };
  expect(mergePreset(preset, { crop: false })).toEqual(merged);
  const image = { backgroundImageUrl: 'https://shop.example/wood.jpg' };
  const { backgroundColor: _, ...others } = preset;
  expect(mergePreset(preset, image)).toEqual({ ...others, ...image });
  expect(mergePreset({ subject: 'person' }, { alpha: 'keep' })).toEqual({ alpha: 'keep' });
  expect(mergePreset({ alpha: 'keep' }, { subject: 'person' })).toEqual({ subject: 'person' });
});

test('form fields and JSON members give the same options, in the same order', () => {
  const form = {
    maxOutputMegapixels: '0.25',
    semitransparency: 'false',
    position: 'center',
    scale: '70%',
    crop: 'true',
    backgroundColor: 'Red',
    format: 'jpg',
  };
  const json = {
    format: 'jpeg',
    backgroundColor: '#f00',
    crop: true,
    scale: '70%',
    maxOutputMegapixels: 0.25,
    semitransparency: false,
  };
  expect(JSON.stringify(optionsOf(form))).toBe(JSON.stringify(optionsOf(json)));
});

test('an uploaded background is identified by the hash of its bytes', () => {
  const backgroundImage = Buffer.from('a picture');
  expect(optionsOf({ backgroundImage }).backgroundImageSha256).toMatch(/^[0-9a-f]{64}$/);
  expect(invalidFields({ backgroundImage: 'a picture' })).toEqual(['backgroundImage']);
});

test.each([
  ['#abc', '#aabbcc'],
  ['#abcd', '#aabbccdd'],
  ['#AABBCC', '#aabbcc'],
  ['#aabbccff', '#aabbcc'],
  ['RebeccaPurple', '#663399'],
  ['transparent', '#00000000'],
  ['#ab', undefined],
  ['#abcde', undefined],
  ['81d4fa', undefined],
  ['rgb(1, 2, 3)', undefined],
  ['no-colour', undefined],
  ['constructor', undefined],
])('the colour %s', (text, color) => expect(parseColor(text)).toBe(color));

describe('is rejected:', () => {
  test.each([
    ['format', 'tiff'],
    ['channels', 'alpha,rgba'],
    ['backgroundColor', 'url(x)'],
    ['backgroundImageUrl', 'ftp://example.com/a.png'],
    ['crop', 'yes'],
    ['scale', '9%'],
    ['scale', '101%'],
    ['scale', '50px'],
    ['scale', '-50%'],
    ['position', '50% 50% 50%'],
    ['position', '-1%'],
    ['position', '20px'],
    ['roi', '0% 0% 50%'],
    ['roi', '50% 0% 40% 10%'],
    ['roi', '10px 10px 10px 20px'],
    ['roi', '0% 0% 101% 100%'],
    ['roi', '1e3px 0px 2000px 9px'],
    ['maxOutputMegapixels', '0'],
    ['maxOutputMegapixels', 'NaN'],
    ['maxOutputMegapixels', '1e9'],
    ['shadow', 'contact'],
    ['semitransparency', '0'],
  ])('%s %s', (field, value) => expect(invalidFields({ [field]: value })).toEqual([field]));

  test.each(['501px', '51%', '-5px', '1px 2px 3px', '1px 2px 3px 4px 5px', '5', '99999999px', 'x'])(
    'the margin %s',
    (cropMargin) => expect(invalidFields({ crop: true, cropMargin })).toEqual(['cropMargin']),
  );

  test.each([
    [
      { backgroundColor: 'red', backgroundImageUrl: 'https://a.example/b.png' },
      ['backgroundImageUrl'],
    ],
    [{ backgroundColor: 'red', backgroundImage: Buffer.from('x') }, ['backgroundImage']],
    [{ channels: 'alpha', backgroundColor: 'red', shadow: 'drop' }, ['backgroundColor', 'shadow']],
    [{ cropMargin: '5px' }, ['cropMargin']],
    [{ channels: 'alpha', shadow: 'keep' }, ['shadow']],
    [{ shadow: 'keep', subject: 'garment' }, ['shadow']],
    [{ shadow: 'keep', shadowOpacityPct: 20 }, ['shadowOpacityPct']],
    [{ shadowOpacityPct: 20 }, ['shadowOpacityPct']],
    [{ shadow: 'drop', shadowOpacityPct: 101 }, ['shadowOpacityPct']],
  ])('conflicting fields: %j', (request, fields) => expect(invalidFields(request)).toEqual(fields));
});

const px = (value: number) => ({ value, unit: 'px' });
const pct = (value: number) => ({ value, unit: '%' });

test.each([
  ['5px', { top: px(5), right: px(5), bottom: px(5), left: px(5) }],
  ['5px 10%', { top: px(5), right: pct(10), bottom: px(5), left: pct(10) }],
  ['1px 2px 3px 4%', { top: px(1), right: px(2), bottom: px(3), left: pct(4) }],
])('margins are in the order of CSS: %s', (cropMargin, margins) => {
  expect(toGeometry({ crop: true, cropMargin }).margins).toEqual(margins);
});

test('a scaled subject is centered by default', () => {
  const expected = { scale: 0.7, position: { across: 0.5, down: 0.5 } };
  expect(toGeometry({ scale: '70%' })).toMatchObject(expected);
  expect(toGeometry({ scale: '70%', position: 'original' }).position).toBeUndefined();
  expect(toGeometry({ position: '10% 90%' }).position).toEqual({ across: 0.1, down: 0.9 });
  expect(toGeometry({ crop: true, position: '10%' }).position).toEqual({ across: 0.1, down: 0.1 });
});
