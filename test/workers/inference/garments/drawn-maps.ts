import type { Matte } from '../../../../src/imaging/picture.ts';
import { GROUPS } from '../../../../workers/inference/garments/groups.ts';
import type { GroupMap } from '../../../../workers/inference/garments/parse.ts';

/** The group that each letter of a drawing stands for. */
const GROUP_OF: Readonly<Record<string, string>> = {
  '.': 'background',
  s: 'skin',
  h: 'hair',
  t: 'top',
  b: 'shirt_blouse',
  k: 'knit_sweat',
  c: 'coat',
  d: 'dress_onepiece',
  r: 'trousers_jeans',
  o: 'shoes',
  g: 'bag',
  e: 'belt',
  a: 'hat',
};

/** Letters for cells that may be two things: the likelier, then the other. */
const UNSURE: Readonly<Record<string, readonly [string, string]>> = {
  B: ['shirt_blouse', 'top'],
  C: ['coat', 'top'],
  T: ['top', 'dress_onepiece'],
  S: ['shoes', 'trousers_jeans'],
  A: ['hat', 'bag'],
};
const LIKELIER = 0.5;
const OTHER = 0.4;
const SURE = 0.9;

/** Pixels of the image along each side of a cell. */
export const CELL = 4;

const indexOf = (id: string): number => GROUPS.findIndex((group) => group.id === id);

function probabilitiesOf(letter: string): Map<number, number> {
  const both = UNSURE[letter];
  if (!both) return new Map([[indexOf(GROUP_OF[letter]!), SURE]]);
  return new Map([
    [indexOf(both[0]), LIKELIER],
    [indexOf(both[1]), OTHER],
  ]);
}

/** A colour for each letter, bytes; far from those of the others. */
const colourOf = (letter: string): number[] => {
  const code = letter.codePointAt(0)!;
  return [(code * 83) % 256, (code * 149) % 256, (code * 47) % 256];
};

/** Draws a map, one letter a cell, and the matte of a subject that is all but the dots. @param colours of the letters */
export function drawMap(rows: readonly string[], colours = colourOf) {
  const [height, width] = [rows.length, rows[0]!.length];
  const probabilities = new Float32Array(GROUPS.length * width * height);
  probabilities.fill((1 - SURE) / (GROUPS.length - 1));
  const matte: Matte = {
    data: new Uint8Array(width * height * CELL ** 2),
    width: width * CELL,
    height: height * CELL,
  };
  const seen = { ...matte, data: new Uint8Array(3 * matte.data.length) };
  rows.forEach((row, y) => {
    [...row].forEach((letter, x) => {
      for (let line = 0; line < CELL; line++)
        for (let column = 0; column < CELL; column++)
          seen.data.set(colours(letter), 3 * ((y * CELL + line) * matte.width + x * CELL + column));
      for (const [group, probability] of probabilitiesOf(letter))
        probabilities[(group * height + y) * width + x] = probability;
      if (letter === '.') return;
      for (let line = 0; line < CELL; line++) {
        const start = (y * CELL + line) * matte.width + x * CELL;
        matte.data.fill(255, start, start + CELL);
      }
    });
  });
  const region = { left: 0, top: 0, width: matte.width, height: matte.height };
  return { map: { width, height, region, seen, probabilities } satisfies GroupMap, matte };
}
