import { tmpdir } from 'node:os';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../../workers/inference/pool.ts';
import { startEngine } from '../../support/engine.ts';
import { drawForms, FORMS, ORIENTATIONS } from '../../support/picture-forms.ts';

/** The metadata of each form, to check that the test files are what they claim to be. */
// biome-ignore format: a table reads best aligned
const SAID: Readonly<Record<string, object>> = {
  'JPEG':                     { format: 'jpeg', space: 'srgb', channels: 3, hasProfile: false },
  'JPEG, grey':               { format: 'jpeg', space: 'b-w',  channels: 1 },
  'JPEG, CMYK':               { format: 'jpeg', space: 'cmyk', channels: 4, hasProfile: false },
  'JPEG, CMYK with profile':  { format: 'jpeg', space: 'cmyk', channels: 4, hasProfile: true },
  'JPEG, Display P3':         { format: 'jpeg', space: 'srgb', hasProfile: true },
  'PNG, 16 bits':             { format: 'png',  depth: 'ushort', hasProfile: false },
  'PNG, 16 bits, Display P3': { format: 'png',  depth: 'ushort', hasProfile: true },
  'PNG, palette':             { format: 'png',  isPalette: true },
  'PNG, transparent':         { format: 'png',  hasAlpha: true },
  'WebP':                     { format: 'webp', depth: 'uchar' },
};

let engine: Engine;
let forms: Awaited<ReturnType<typeof drawForms>>;
beforeAll(async () => {
  forms = await drawForms();
  engine = await startEngine({
    model: 'garment-cutout',
    device: 'cpu',
    slots: 1,
    maxPixels: 16_000_000,
    modelsHome: tmpdir(),
  });
});
afterAll(() => engine?.close());

describe('a cut-out is upright and has the colours of the image, however that is stored', () => {
  test.each(FORMS)('$name, in all eight orientations', async (form) => {
    expect(ORIENTATIONS).toHaveLength(8);
    for (const orientation of ORIENTATIONS) {
      const stored = await forms.stored(form, orientation);
      expect(await sharp(stored).metadata()).toMatchObject({ ...SAID[form.name], orientation });
      const { file: png } = await engine.removeBackground(stored);
      expect({ orientation, faults: await forms.faultsOf(form, png) }).toEqual({
        orientation,
        faults: [],
      });
    }
  });
});

test('the check detects a rotated, a mirrored and a wrongly coloured cut-out', async () => {
  const [form] = FORMS;
  if (!form) throw new Error('no forms');
  const { file: png } = await engine.removeBackground(await forms.stored(form, 1));
  expect(await forms.faultsOf(form, await sharp(png).rotate(90).png().toBuffer())).toEqual([
    'size',
  ]);
  expect(await forms.faultsOf(form, await sharp(png).flop().png().toBuffer())).toContain(
    'position',
  );
  const displayP3 = await sharp(png).withIccProfile('p3').png().toBuffer();
  const taken = await sharp(displayP3, { ignoreIcc: true }).png().toBuffer();
  expect(await forms.faultsOf(form, taken)).toEqual(['colours']);
});
