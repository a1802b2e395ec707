import { describe, expect, test } from 'vitest';
import { matteOfMask } from '../../../../workers/inference/garments/cut-out.ts';
import { separateGarments } from '../../../../workers/inference/garments/separate.ts';
import { CELL, drawMap } from './drawn-maps.ts';

/** What drawn maps of groups are turned into. Every letter is a cell; see `drawMap`. */

const PERSON = [
  '................',
  '......hhhh......',
  '......ssss......',
  '....tttttttt....',
  '...stttttttts...',
  '...stttttttts...',
  '...stttttttts...',
  '....eeeeeeee....',
  '....rrrrrrrr....',
  '....rrr..rrr....',
  '....rrr..rrr....',
  '....rrr..rrr....',
  '....ooo..ooo....',
  '................',
];

const separate = (rows: readonly string[]) => {
  const { map, matte } = drawMap(rows);
  return { ...separateGarments(map, matte), matte };
};
const groupsOf = ({ garments }: { garments: { group: string }[] }) =>
  garments.map(({ group }) => group);

describe('a person', () => {
  const outfit = separate(PERSON);
  const { garments, matte, region } = outfit;
  const find = (group: string) => garments.find((garment) => garment.group === group)!;

  test('wears every garment once, the largest first', () => {
    expect(outfit).toMatchObject({ person: true, severalPeople: false });
    expect(groupsOf(outfit)).toEqual(['top', 'trousers_jeans', 'belt', 'shoes']);
  });

  test('has two shoes that are one item', () => {
    const { box, region: part } = find('shoes');
    expect(part).toBe('shoes');
    expect(box.left).toBeLessThanOrEqual(4 * CELL);
    expect(box.left + box.width).toBeGreaterThanOrEqual(12 * CELL);
    expect(box.top).toBeGreaterThanOrEqual(11 * CELL);
  });

  test('shares its area among garments, skin and hair', () => {
    const cells = PERSON.join('').replaceAll('.', '').length;
    expect(find('top').areaShare).toBeCloseTo(32 / cells, 3);
    expect(garments.reduce((sum, { areaShare }) => sum + areaShare, 0)).toBeLessThan(1);
  });

  test('has garments whose mattes share no pixel, and have none beyond the subject', () => {
    const owners = new Uint8Array(matte.data.length);
    let beyond = 0;
    for (const garment of garments) {
      const { data } = matteOfMask(garment.mask, region, garment.box, matte);
      const { left, top, width } = garment.box;
      data.forEach((alpha, i) => {
        const pixel = (top + Math.floor(i / width)) * matte.width + left + (i % width);
        if (alpha > matte.data[pixel]!) beyond++;
        if (alpha > 127) owners[pixel]!++;
      });
    }
    expect(beyond).toBe(0);
    expect(Math.max(...owners)).toBe(1);
    const cells = owners.filter((count) => count === 1).length / CELL ** 2;
    const cloth = PERSON.join('').replace(/[.sh]/g, '').length;
    expect(Math.abs(cells - cloth)).toBeLessThan(0.05 * cloth);
  });

  test('is as sure of a garment as the network is of its part', () => {
    const [best, ...rest] = find('top').alternatives;
    expect(best).toEqual({ group: 'top', probability: expect.closeTo(0.9, 3) });
    expect(rest).toEqual([]);
    expect(find('top').confidence).toBeCloseTo(0.9 + (3 * 0.1) / 21, 3);
  });
});

test('a second group within a part is a garment of its own only if it is large and likely', () => {
  const withFront = (front: string) =>
    groupsOf(separate(PERSON.map((row) => row.replace('tttttttt', `ttt${front}ttt`))));
  expect(withFront('bb')).toContain('shirt_blouse');
  expect(withFront('bb')).toContain('top');
  expect(withFront('BB')).toEqual(['top', 'trousers_jeans', 'belt', 'shoes']);
  const blot = PERSON.map((row, y) => (y === 4 ? row.replace('tttttttt', 'tttbbttt') : row));
  expect(groupsOf(separate(blot))).toEqual(['top', 'trousers_jeans', 'belt', 'shoes']);
});

test('small pieces are dropped, and leave no hole', () => {
  const large = PERSON.flatMap((row) => {
    const wide = [...row].map((letter) => letter.repeat(6)).join('');
    return Array.from({ length: 6 }, () => wide);
  });
  const at = large[27]!.indexOf('t') + 20;
  large[27] = `${large[27]!.slice(0, at)}C${large[27]!.slice(at + 1)}`;
  const outfit = separate(large);
  expect(groupsOf(outfit)).not.toContain('coat');
  const top = outfit.garments.find(({ group }) => group === 'top')!;
  expect(top.mask.data[27 * top.mask.width + at]).toBeGreaterThan(0.5);
});

test('two bags are two items', () => {
  const bags = PERSON.map((row, y) => (y > 4 && y < 8 ? `ggg${row.slice(3, 13)}ggg` : row));
  expect(groupsOf(separate(bags)).filter((group) => group === 'bag')).toHaveLength(2);
});

describe('what is hidden', () => {
  test('is said of what a coat lies over', () => {
    const coat = PERSON.map((row) =>
      row.replace('tttttttt', 'cctttccc').replace('eeeeeeee', 'cctttccc'),
    );
    const { garments } = separate(coat);
    const top = garments.find(({ group }) => group === 'top')!;
    expect(top).toMatchObject({ occludedBy: ['coat'] });
    const over = garments.find(({ group }) => group === 'coat')!;
    expect(over).toMatchObject({ occludedBy: [] });
  });

  test('is said of what the frame cuts', () => {
    const { garments } = separate(PERSON.slice(0, 11));
    const trousers = garments.find(({ group }) => group === 'trousers_jeans')!;
    expect(trousers).toMatchObject({ occludedBy: ['frame'] });
    expect(garments.find(({ group }) => group === 'top')!.occludedBy).toEqual([]);
  });
});

describe('without a person', () => {
  const SHIRT = [
    '................',
    '..tttt....tttt..',
    '..ttttttttssss..',
    '.....tttttd.....',
    '.....ttttt......',
    '.....t...t......',
    '................',
  ];

  test('all of a laid-out garment is garment, whatever the network makes of its parts', () => {
    // Less than one cell in fifty looks like skin; a hole of background, too, is part of the garment.
    const rows = SHIRT.map((row) => row.replace('ssss', 'tttt').replace('t...t', 'txxxt'));
    const drawn = rows.map((row) => row.replaceAll('x', '.'));
    const { map, matte } = drawMap(drawn);
    for (let y = 5 * CELL; y < 6 * CELL; y++)
      matte.data.fill(255, y * matte.width + 5 * CELL, y * matte.width + 10 * CELL);
    const outfit = separateGarments(map, matte);
    expect(outfit.person).toBe(false);
    expect(groupsOf(outfit)).toEqual(['top']);
    expect(outfit.garments[0]!.areaShare).toBeCloseTo(1, 5);
  });

  test('two garments that lie apart are two', () => {
    const rows = SHIRT.map((row) => `${row.replace(/[sd]/g, 't')}${'.rrrr.'}`);
    expect(groupsOf(separate(rows))).toEqual(['top', 'trousers_jeans']);
  });
});

test('of several people only the largest is separated', () => {
  const smaller = PERSON.map((_, y) =>
    y < 4 ? '.'.repeat(12) : PERSON[y]!.slice(2, 14).replace(/t/g, 'd'),
  );
  smaller[4] = '....ssss....';
  const crowd = PERSON.map((row, y) => row + smaller[y]!);
  const outfit = separate(crowd);
  expect(outfit).toMatchObject({ person: true, severalPeople: true });
  expect(groupsOf(outfit)).not.toContain('dress_onepiece');
  for (const { box } of outfit.garments)
    expect(box.left + box.width).toBeLessThanOrEqual(16 * CELL);
});

/** Beside a person, some cells of skin above others. */
const smallFigure = (worn: string) => [
  ...PERSON.slice(0, 8).map(() => '......'),
  ...PERSON.slice(8).map((_, i) => (i === 0 ? '..ss..' : i < 5 ? `..${worn}${worn}..` : '......')),
];

test.each([
  ['a small dressed person is another person', 'd', true],
  ['a small piece of skin alone is not', 's', false],
])('%s', (_, worn, severalPeople) => {
  const small = smallFigure(worn);
  const outfit = separate(PERSON.map((row, y) => row + small[y]!));
  expect(outfit.severalPeople).toBe(severalPeople);
  expect(groupsOf(outfit)).not.toContain('dress_onepiece');
});

test('an empty matte has no garments', () => {
  const { map, matte } = drawMap(PERSON);
  matte.data.fill(0);
  const expected = { person: false, severalPeople: false, garments: [] };
  expect(separateGarments(map, matte)).toMatchObject(expected);
});

test('the region of the map may be a part of the image', () => {
  const { map, matte } = drawMap(PERSON);
  const wide = { width: matte.width + 40, height: matte.height + 20 };
  const data = new Uint8Array(wide.width * wide.height);
  for (let y = 0; y < matte.height; y++)
    data.set(
      matte.data.subarray(y * matte.width, (y + 1) * matte.width),
      (y + 20) * wide.width + 40,
    );
  const region = { ...map.region, left: 40, top: 20 };
  const moved = separateGarments({ ...map, region }, { data, ...wide });
  const still = separateGarments(map, matte);
  expect(moved.garments.map(({ box }) => box)).toEqual(
    still.garments.map(({ box }) => ({ ...box, left: box.left + 40, top: box.top + 20 })),
  );
});

describe('a hat', () => {
  test('is worn on the head', () => {
    const rows = PERSON.map((row, y) => (y === 0 ? '......aaaa......' : row));
    expect(groupsOf(separate(rows))).toContain('hat');
  });

  test('of which the network is not sure is hair', () => {
    const rows = PERSON.map((row, y) => (y === 0 ? '......AAAA......' : row));
    expect(groupsOf(separate(rows))).toEqual(groupsOf(separate(PERSON)));
  });

  test('below the hair is something else', () => {
    const rows = PERSON.map((row, y) => (y === 6 || y === 7 ? `${row.slice(0, 12)}AAAA` : row));
    const found = groupsOf(separate(rows));
    expect(found).toContain('bag');
    expect(found).not.toContain('hat');
  });
});
