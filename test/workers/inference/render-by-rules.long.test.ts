import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { MattedImage } from '../../../src/imaging/downscale.ts';
import type { CutOutOptions } from '../../../src/output/options.ts';
import { withRulePack } from '../../../src/output/request.ts';
import { BUILT_IN_PACKS, RulePack } from '../../../src/output/rules/pack.ts';
import { render } from '../../../workers/inference/render.ts';
import { drawPicture, eachIn } from '../../imaging/compliance/drawn.ts';

const AMAZON = BUILT_IN_PACKS.get('amazon-main')!;
const ZALANDO = BUILT_IN_PACKS.get('zalando-packshot')!;
const GREEN = [40, 140, 60] as const;

const pack = (rules: object): RulePack => RulePack.parse({ title: 'A shop', rules });

/** A blue square of half the side on green, with a matte that is so many pixels too wide. */
function photo(side = 1200, wider = 0): MattedImage {
  const { pixels, subject } = drawPicture(side, GREEN);
  const [from, to] = [side / 4 - wider, (3 * side) / 4 + wider];
  eachIn(subject, [from, from, to, to], (i) => {
    subject.data[i] = 255;
  });
  return { pixels, matte: subject };
}

const make = (rulePack: RulePack, options: CutOutOptions = {}, image = photo()) =>
  render(image, withRulePack({ ...options, rules: 'pack' }, rulePack), undefined, 20_000_000);

const failedOf = async (result: ReturnType<typeof make>): Promise<string[]> =>
  ((await result).rules?.verdicts ?? []).filter(({ passed }) => !passed).map(({ id }) => id);

describe('a cut-out is judged as it is rendered', () => {
  test('a transparent PNG of the whole photo', async () => {
    expect(await failedOf(make(AMAZON))).toEqual(['background', 'fill-ratio']);
  });

  test('a JPEG on white that the subject fills', async () => {
    const options = { format: 'jpeg', crop: true, cropMargin: '4%' } as const;
    const { rules } = await make(AMAZON, options);
    expect(rules).toMatchObject({ pack: 'pack', passed: true });
  });

  test.each([
    ['of another colour', { backgroundColor: '#fafafa' }, ['background']],
    ['with a shadow', { shadow: 'drop' }, ['background']],
  ] as const)('on a ground %s', async (_, options, failed) => {
    const drawn = { format: 'jpeg', crop: true, cropMargin: '7%', ...options } as const;
    expect(await failedOf(make(AMAZON, drawn))).toEqual(failed);
  });

  test('without rules there is no report, and without fixRules nothing changes', async () => {
    const plain = await render(photo(), { crop: true }, undefined, 20_000_000);
    const judged = await make(AMAZON, { crop: true });
    expect(plain.rules).toBeUndefined();
    expect(Buffer.compare(judged.file, plain.file)).toBe(0);
  });

  test('the frame that cuts the subject counts, within the roi', async () => {
    const cut = { roi: '0% 0% 50% 100%', crop: true, cropMargin: '4%', format: 'jpeg' } as const;
    expect(await failedOf(make(AMAZON, cut))).toEqual(['cut-by-frame']);
    expect(await failedOf(make(AMAZON, { ...cut, fixRules: true }))).toEqual(['cut-by-frame']);
  });
});

describe('fixRules', () => {
  test('flattens, crops, centres and encodes for the pack', async () => {
    const { file, rules, mediaType, foreground } = await make(AMAZON, { fixRules: true });
    expect(rules).toMatchObject({ passed: true });
    expect(mediaType).toBe('image/png');
    const { width, height, channels } = await sharp(file).metadata();
    expect(foreground?.width).toBe(600);
    expect(width).toBeGreaterThan(600 / 0.95);
    expect([width, channels]).toEqual([height, 4]);
    const { data } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
    expect([...data.subarray(0, 4)]).toEqual([255, 255, 255, 255]);
  });

  test('makes an upright JPEG where the pack wants it', async () => {
    const result = await make(ZALANDO, { fixRules: true });
    expect(result).toMatchObject({ mediaType: 'image/jpeg', rules: { passed: true } });
    expect(Math.abs(result.width / result.height - 0.695)).toBeLessThan(0.006);
    expect(result.foreground?.width).toBeLessThanOrEqual(601);
  });

  test('leaves an output that passes as it is', async () => {
    const options = { format: 'jpeg', crop: true, cropMargin: '4%' } as const;
    const fixed = await make(AMAZON, { ...options, fixRules: true });
    expect(Buffer.compare(fixed.file, (await make(AMAZON, options)).file)).toBe(0);
  });

  test('never enlarges the subject', async () => {
    const small = await make(AMAZON, { fixRules: true }, photo(400));
    expect(small.foreground).toMatchObject({ width: 200, height: 200 });
    const failed = small.rules?.verdicts.filter(({ passed }) => !passed);
    expect(failed).toMatchObject([{ id: 'longest-side', limit: { min: 500 } }]);
  });

  test('takes a fringe of the old ground off', async () => {
    const wide = { format: 'jpeg', crop: true, cropMargin: '4%' } as const;
    expect(await failedOf(make(AMAZON, wide, photo(1200, 4)))).toEqual(['fringe']);
    const fixed = await make(AMAZON, { ...wide, fixRules: true }, photo(1200, 4));
    expect(fixed.rules).toMatchObject({ passed: true });
    expect(fixed.foreground?.width).toBeLessThan(606);
  });

  test('clears haze and letters that were taken for the subject', async () => {
    const dirty = photo();
    for (let n = 0; n < 6; n++)
      eachIn(dirty.matte, [330 + 100 * n, 100, 380 + 100 * n, 180], (i) => {
        dirty.matte.data[i] = 255;
      });
    eachIn(dirty.matte, [1000, 310, 1100, 900], (i) => {
      dirty.matte.data[i] = 20;
    });
    const options = { format: 'jpeg' } as const;
    const clone = () => ({
      pixels: { ...dirty.pixels, data: dirty.pixels.data.slice() },
      matte: { ...dirty.matte, data: dirty.matte.data.slice() },
    });
    expect(await failedOf(make(AMAZON, options, clone()))).toEqual([
      'background',
      'overlay',
      'fill-ratio',
    ]);
    const fixed = await make(AMAZON, { ...options, fixRules: true }, clone());
    expect(fixed.rules).toMatchObject({ passed: true });
    expect(fixed.foreground).toMatchObject({ width: 600, height: 600 });
  });

  test('clears a piece that is small in the photo, but not in the output', async () => {
    const dirty = photo();
    eachIn(dirty.matte, [220, 500, 270, 558], (i) => {
      dirty.matte.data[i] = 255;
    });
    const fixed = await make(AMAZON, { format: 'jpeg', fixRules: true }, dirty);
    expect(fixed.rules).toMatchObject({ passed: true });
    expect(fixed.foreground).toMatchObject({ width: 600, height: 600 });
  });

  test('makes the file smaller by quality, then by size, but not below the sides', async () => {
    const noisy = () => {
      const image = photo();
      const { data } = image.pixels;
      for (let i = 0; i < data.length; i++) data[i] = (data[i]! + ((i * 7919) % 97)) % 256;
      return image;
    };
    const limited = (maxBytes: number, min: number) =>
      pack({
        'file-bytes': { max: maxBytes },
        'longest-side': { min },
        'fill-ratio': { min: 0.8 },
      });
    const options = { format: 'jpeg', fixRules: true } as const;
    const first = await make(limited(1e9, 100), options, noisy());
    const smaller = await make(limited(100_000, 100), options, noisy());
    expect(smaller.file.length).toBeLessThanOrEqual(100_000);
    expect(smaller.width).toBeLessThan(first.width);
    expect(smaller.rules).toMatchObject({ passed: true });
    const stuck = await make(limited(20_000, 600), options, noisy());
    expect(await failedOf(Promise.resolve(stuck))).toEqual(['file-bytes']);
    expect(stuck.width).toBeGreaterThanOrEqual(600);
  });

  test('without a subject changes the ground alone', async () => {
    const empty = photo(600);
    empty.matte.data.fill(0);
    const { width, rules } = await make(AMAZON, { fixRules: true }, empty);
    expect(width).toBe(600);
    expect(rules?.verdicts.filter(({ passed }) => !passed).map(({ id }) => id)).toEqual([
      'fill-ratio',
    ]);
  });
});
