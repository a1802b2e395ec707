import { describe, expect, test } from 'vitest';
import { readRequest } from '../../src/api/removal/removebg/request.ts';
import { readJsonImage } from '../../src/http/image-body.ts';
import { Problem } from '../../src/platform/problem.ts';

const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4]);
const readImage = (body: object) => readJsonImage(body, 64).image;

const request = (fields: Record<string, unknown>, files: Record<string, Uint8Array> = {}) =>
  readRequest({ fields, files: { image_file: JPEG, ...files } }, readImage);

/** The output options a form is translated to, without the size limit of a preview. */
function optionsOf(fields: Record<string, unknown>, files: Record<string, Uint8Array> = {}) {
  const { maxOutputMegapixels, ...options } = request(fields, files).cutOut.options;
  return options;
}

/** The error codes a form is rejected with. */
function codesOf(act: () => unknown): unknown[] {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem) return (error.errors ?? []).map(({ code }) => code);
    throw error;
  }
  return [];
}

describe('a parameter becomes an output option', () => {
  const WALL = 'https://example.com/wall.jpg';
  const crop = { crop: 'true' };
  const alpha = { channels: 'alpha' };
  const drop = { shadow_type: 'drop' };
  const names = ['roi', 'scale', 'format', 'size', 'image_url', 'other'];
  const EMPTY = { ...Object.fromEntries(names.map((name) => [name, ''])), bg_color: ' ' };
  const onColor = (backgroundColor: string) => ({ format: 'jpeg', backgroundColor });
  test.each<[name: string, fields: Record<string, unknown>, options: object]>([
    ['nothing', {}, {}],
    ['format png', { format: 'png' }, {}],
    ['format jpg', { format: 'jpg' }, { format: 'jpeg' }],
    ['format webp', { format: 'webp' }, { format: 'webp' }],
    ['format zip', { format: 'zip' }, { asZip: true }],
    ['format auto', { format: 'auto' }, {}],
    ['roi in pixels', { roi: '0px 10px 200px 300px' }, { roi: '0px 10px 200px 300px' }],
    ['roi in percent', { roi: '0% 0% 50% 100%' }, { roi: '0% 0% 50% 100%' }],
    ['crop', { crop: 'true' }, { crop: true }],
    ['no crop', { crop: 'false' }, {}],
    ['crop in JSON', { crop: true }, { crop: true }],
    ['crop_margin', { ...crop, crop_margin: '10% 30px' }, { crop: true, cropMargin: '10% 30px' }],
    ['crop_margin of no unit', { ...crop, crop_margin: '0' }, { crop: true, cropMargin: '0px' }],
    ['crop_margin without crop, which has no effect', { crop_margin: '10%' }, {}],
    ['scale', { scale: '50%' }, { scale: '50%' }],
    ['scale original', { scale: 'original' }, {}],
    ['position', { position: '10% 90%' }, { position: '10% 90%' }],
    ['position center', { position: 'center' }, { position: 'center' }],
    ['channels alpha', alpha, alpha],
    ['channels rgba', { channels: 'rgba' }, {}],
    ['add_shadow', { add_shadow: 'true' }, { shadow: 'drop' }],
    ['add_shadow false', { add_shadow: 'false' }, {}],
    ['shadow_type drop', { shadow_type: 'drop' }, { shadow: 'drop' }],
    ['shadow_type auto', { shadow_type: 'auto' }, { shadow: 'drop' }],
    ['shadow_type none over add_shadow', { add_shadow: 'true', shadow_type: 'none' }, {}],
    ['shadow_opacity', { ...drop, shadow_opacity: '30' }, { shadow: 'drop', shadowOpacityPct: 30 }],
    ['shadow_opacity without a shadow, which has no effect', { shadow_opacity: 30 }, {}],
    ['semitransparency', { semitransparency: 'true' }, {}],
    ['semitransparency false', { semitransparency: 'false' }, { semitransparency: false }],
    ['bg_color hex', { bg_color: '81d4fa' }, onColor('#81d4fa')],
    ['bg_color hex of three digits', { bg_color: 'fff' }, onColor('#ffffff')],
    ['bg_color hex with a hash', { bg_color: '#81d4fa' }, onColor('#81d4fa')],
    ['bg_color hex of four digits', { bg_color: '8dfa' }, { backgroundColor: '#88ddffaa' }],
    ['bg_color hex of eight digits', { bg_color: '81d4fa77' }, { backgroundColor: '#81d4fa77' }],
    ['bg_color by name', { bg_color: 'green' }, onColor('#008000')],
    ['bg_color fully transparent', { bg_color: '00000000', ...alpha }, alpha],
    ['bg_color and png', { bg_color: 'fff', format: 'png' }, { backgroundColor: '#ffffff' }],
    ['bg_image_url', { bg_image_url: WALL }, { format: 'jpeg', backgroundImageUrl: WALL }],
    ['empty texts', EMPTY, {}],
    ['null in JSON', { roi: null, crop: null }, {}],
  ])('%s', (_, fields, options) => {
    expect(optionsOf(fields)).toEqual(options);
  });

  test('bg_image_file', () => {
    const { options, background } = request({}, { bg_image_file: JPEG }).cutOut;
    expect(options).toMatchObject({ format: 'jpeg', backgroundImageSha256: expect.any(String) });
    expect(background).toEqual({ image: JPEG });
  });

  test('bg_image_url is fetched like an image', () => {
    expect(request({ bg_image_url: WALL }).cutOut.background).toEqual({ imageUrl: WALL });
  });

  type Sized = [size: string | undefined, format: string | undefined, megapixels: number];
  const sized = (
    megapixels: number,
    format: string | undefined,
    ...sizes: (string | undefined)[]
  ) => sizes.map((size): Sized => [size, format, megapixels]);
  test.each([
    ...sized(0.25, undefined, undefined, 'preview', 'small', 'regular'),
    ...sized(1.5, undefined, 'medium'),
    ...sized(4, undefined, 'hd'),
    ...sized(10, undefined, '4k', 'full', 'auto', '50MP', '50mp'),
    ...sized(4, 'jpg', 'hd'),
    ...sized(25, 'jpg', '4k', 'full', 'auto'),
    ...sized(50, 'jpg', '50MP'),
  ])('size %s in the format %s is at most %s megapixels', (size, format, megapixels) => {
    const { options } = request({ size, format }).cutOut;
    expect(options.maxOutputMegapixels).toBe(megapixels);
  });

  test.each([
    [{}, 'other'],
    [{ type: 'auto' }, 'other'],
    [{ type: 'product' }, 'product'],
    [{ type: 'other', type_level: '2' }, 'other'],
    [{ type: 'product', type_level: 'latest' }, 'product'],
    [{ type: 'product', type_level: 1 }, 'product'],
    [{ type: 'product', type_level: 'none' }, undefined],
  ])('%o has the type %s', (fields, subject) => {
    expect(request(fields).subject).toBe(subject);
  });
});

describe('the image comes from', () => {
  const source = (fields: Record<string, unknown>, files: Record<string, Uint8Array> = {}) =>
    readRequest({ fields, files }, readImage).cutOut.source;
  const base64 = JPEG.toString('base64');

  test.each([
    ['image_file', {}, { image_file: JPEG }],
    ['image_file_b64', { image_file_b64: base64 }, {}],
    ['image_file_b64 as a data URL', { image_file_b64: `data:image/jpeg;base64,${base64}` }, {}],
    ['image_file_b64 and an empty file', { image_file_b64: base64 }, { image_file: Buffer.of() }],
  ])('%s', (_, fields, files) => {
    expect(source(fields, files)).toEqual({ image: JPEG });
  });

  test('image_url', () => {
    const imageUrl = 'https://example.com/shirt.jpg';
    expect(source({ image_url: imageUrl })).toEqual({ imageUrl });
  });
});

describe('an invalid request has an error code', () => {
  test.each<[code: string, fields: Record<string, unknown>]>([
    ['invalid_size', { size: 'huge' }],
    ['invalid_type', { type: 'person' }],
    ['invalid_type', { type: 'animal' }],
    ['invalid_type', { type: 'car' }],
    ['invalid_type', { type: 'graphic' }],
    ['invalid_type', { type: 'transportation' }],
    ['invalid_type_level', { type_level: '3' }],
    ['invalid_format', { format: 'gif' }],
    ['invalid_roi', { roi: '0% 0% 50%' }],
    ['roi_region_empty', { roi: '50% 0% 50% 100%' }],
    ['roi_exceeds_bounds', { roi: '0% 0% 110% 100%' }],
    ['invalid_crop', { crop: 'maybe' }],
    ['invalid_crop_margin', { crop_margin: '60%' }],
    ['invalid_crop_margin', { crop_margin: '501px' }],
    ['invalid_scale', { scale: '5%' }],
    ['invalid_scale', { scale: '110%' }],
    ['invalid_position', { position: 'left' }],
    ['invalid_channels', { channels: 'rgb' }],
    ['invalid_add_shadow', { add_shadow: 'soft' }],
    ['invalid_shadow_type', { shadow_type: '3D' }],
    ['invalid_shadow_type', { shadow_type: 'car' }],
    ['invalid_shadow_opacity', { shadow_opacity: '101' }],
    ['invalid_semitransparency', { semitransparency: 'half' }],
    ['invalid_bg_color', { bg_color: '12345' }],
    ['invalid_bg_color', { bg_color: 'nocolour' }],
    ['invalid_channels', { bg_color: 'fff', channels: 'alpha' }],
    ['invalid_channels', { shadow_type: 'drop', channels: 'alpha' }],
    ['invalid_channels', { format: 'zip', channels: 'alpha' }],
    ['invalid_bg_image_url', { bg_image_url: 'wall.jpg' }],
    ['invalid_roi', { roi: ['0%'] }],
    ['unknown_parameter', { bg_colour: 'fff' }],
    ['unknown_parameter', { bg_image_file: 'text' }],
    ['multiple_bg_sources', { bg_color: 'fff', bg_image_url: 'https://example.com/wall.jpg' }],
    ['multiple_sources', { image_url: 'https://example.com/shirt.jpg' }],
  ])('%s: %o', (code, fields) => {
    expect(codesOf(() => request(fields))).toEqual([code]);
  });

  test.each<[code: string, fields: Record<string, unknown>]>([
    ['missing_source', {}],
    ['missing_source', { image_url: '', image_file_b64: '' }],
    ['invalid_image_url', { image_url: 'ftp://example.com/shirt.jpg' }],
    ['failed_to_read_image', { image_file_b64: '!!!!' }],
    ['failed_to_read_image', { image_file_b64: {} }],
    ['unknown_parameter', { image_file: 'text' }],
  ])('%s: %o without a file', (code, fields) => {
    expect(codesOf(() => readRequest({ fields, files: {} }, readImage))).toEqual([code]);
  });

  test('a file of another name', () => {
    expect(codesOf(() => request({}, { image: JPEG }))).toEqual(['unknown_parameter']);
  });

  test('every error is reported at once', () => {
    const codes = codesOf(() => request({ size: 'huge', scale: '5%', bg_colour: 'fff' }));
    expect(codes).toEqual(['unknown_parameter', 'invalid_size', 'invalid_scale']);
  });
});
