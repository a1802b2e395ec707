import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createLabelReader, readLabelledPhotos } from '../../bench/garment-labels.ts';
import { skinTone } from '../../bench/skin-tone.ts';
import { GROUPS } from '../../workers/inference/garments/groups.ts';
import { palettePng } from '../support/palette-png.ts';
import { useFolder } from '../support/use-folder.ts';

/** The labels that parse networks are judged by. */

const folder = await useFolder();
const CLASSES = { 0: 'null', 1: 'jeans', 2: 'sneakers', 3: 'skin' };

beforeAll(async () => {
  await mkdir(join(folder, 'ccp-59'));
  await writeFile(join(folder, 'ccp-59', 'classes.json'), JSON.stringify(CLASSES));
  const rows = [
    [0, 1, 3],
    [2, 2, 0],
  ];
  await writeFile(join(folder, 'ccp-59', '0007.png'), palettePng(rows));
});

test('classes are folded into groups, pixel by pixel', async () => {
  const [photo, ...others] = readLabelledPhotos(folder);
  expect(others).toEqual([]);
  expect(photo).toMatchObject({ id: '0007', image: join(folder, 'ccp', '0007.jpg') });
  const { data, width, height } = await createLabelReader(folder)(photo!);
  expect({ width, height }).toEqual({ width: 3, height: 2 });
  const expected = ['background', 'trousers_jeans', 'skin', 'shoes', 'shoes', 'background'];
  expect(Array.from(data, (group) => GROUPS[group]!.id)).toEqual(expected);
});

test('a folder without labels has no photos', () => {
  expect(readLabelledPhotos(join(folder, 'ccp-59'))).toEqual([]);
});

test.each([
  { name: 'dark', colour: [90, 56, 37], min: -60, max: -10 },
  { name: 'tan', colour: [198, 134, 96], min: 10, max: 35 },
  { name: 'light', colour: [255, 224, 196], min: 45, max: 75 },
])('$name skin has a tone between $min and $max', ({ colour, min, max }) => {
  const pixels = { data: new Uint8Array(3 * 100), width: 10, height: 10 };
  for (let i = 0; i < 100; i++) pixels.data.set(colour, 3 * i);
  const tone = skinTone(
    pixels,
    Array.from({ length: 100 }, () => true),
  );
  expect(tone).toBeGreaterThan(min);
  expect(tone).toBeLessThan(max);
  expect(
    skinTone(
      pixels,
      Array.from({ length: 100 }, (_, i) => i < 9),
    ),
  ).toBeUndefined();
});
