import { describe, expect, test } from 'vitest';
import { IMAGE_CLASSES, type ImageClass } from '../../../src/taxonomy/photo/image-classes.ts';
import { wornZones } from '../../../workers/inference/garment-view.ts';
import { separateGarments } from '../../../workers/inference/garments/separate.ts';
import { drawMap } from './garments/drawn-maps.ts';

/** A person in trousers, and above them what the rows say; each letter is a cell, see `drawMap`. */
function fitsOfUpperBody(upper: readonly string[]) {
  const { map, matte } = drawMap([
    '................',
    '......hhhh......',
    '......ssss......',
    ...upper,
    '....rrrrrrrr....',
    '....rrr..rrr....',
    '....rrr..rrr....',
    '................',
  ]);
  const [largest] = wornZones(separateGarments(map, matte), matte);
  const fits = largest!.fits;
  return (name: ImageClass): number => fits[IMAGE_CLASSES.indexOf(name)]!;
}

const TOP = '...stttttttts...';
const COAT = '...sccccccccs...';

describe('what covers the upper body', () => {
  test('is rather a jacket where the parse network sees outerwear', () => {
    const fitOf = fitsOfUpperBody([COAT, COAT, COAT, COAT]);
    expect(fitOf('outwear')).toBeGreaterThan(5 * fitOf('hoodie'));
    expect(fitOf('coat')).toBe(fitOf('outwear'));
  });

  test('is rather a top where it sees one, but may be a jacket', () => {
    const fitOf = fitsOfUpperBody([TOP, TOP, TOP, TOP]);
    expect(fitOf('hoodie')).toBeGreaterThan(5 * fitOf('outwear'));
    expect(fitOf('outwear')).toBeGreaterThan(fitOf('shoes'));
  });

  test('is left to the classifier where it sees both', () => {
    const fitOf = fitsOfUpperBody([TOP, TOP, COAT, COAT]);
    expect(fitOf('hoodie') / fitOf('outwear')).toBeCloseTo(1, 1);
    expect(fitOf('hoodie')).toBeGreaterThan(fitOf('dress'));
  });
});
