import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLabelReader, readLabelledPhotos } from '../../bench/garment-labels.ts';
import { skinTone } from '../../bench/skin-tone.ts';
import { GROUPS } from '../../workers/inference/garments/groups.ts';

/** The labels that parse networks are judged by. */

let folder: string;
const CLASSES = { 0: 'null', 1: 'jeans', 2: 'sneakers', 3: 'skin' };

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = [Buffer.alloc(4), Buffer.alloc(4)];
  ends[0]!.writeUInt32BE(data.length);
  ends[1]!.writeUInt32BE(crc32(body));
  return Buffer.concat([ends[0]!, body, ends[1]!]);
}

/** Encodes a PNG whose pixels are places in a palette. */
function palettePng(rows: readonly (readonly number[])[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(rows[0]!.length, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.from([0, 0, 0, 200, 30, 30, 30, 200, 30, 200, 30, 31]);
  const lines = Buffer.from(rows.flatMap((row) => [0, ...row]));
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'selvage-labels-'));
  await mkdir(join(folder, 'ccp-59'));
  await writeFile(join(folder, 'ccp-59', 'classes.json'), JSON.stringify(CLASSES));
  const rows = [
    [0, 1, 3],
    [2, 2, 0],
  ];
  await writeFile(join(folder, 'ccp-59', '0007.png'), palettePng(rows));
});
afterAll(() => rm(folder, { recursive: true }));

test('classes are folded into groups, pixel by pixel', async () => {
  const [photo, ...others] = readLabelledPhotos(folder);
  expect(others).toEqual([]);
  expect(photo).toMatchObject({ id: '0007', image: join(folder, 'ccp', '0007.jpg') });
  const { data, width, height } = await createLabelReader(folder)(photo!);
  expect({ width, height }).toEqual({ width: 3, height: 2 });
  expect(Array.from(data, (group) => GROUPS[group]!.id)).toEqual([
    'background',
    'trousers_jeans',
    'skin',
    'shoes',
    'shoes',
    'background',
  ]);
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
