import type { Box } from '../../src/imaging/picture.ts';
import type { RuleId } from '../../src/output/rules/pack.ts';
import type { Random } from '../../test/faults/random.ts';
import { canvasFor, jpeg, onGround, RIGHT_FILL, rightPicture, toCanvas, white } from './drawing.ts';
import type { Subject } from './subject.ts';

/** A picture that a fault was planted into, as a file. */
export interface Planted {
  file: Buffer;
  /** The part of the photo that it shows. */
  canvas: Box;
  /** For a matte that is wider than the subject: by so many pixels. */
  widenedBy?: number;
}

const between = ({ next }: Random, min: number, max: number): number => min + next() * (max - min);

async function draw(subject: Subject, svg: (side: number) => string): Promise<Planted> {
  const picture = await rightPicture(subject);
  const canvas = canvasFor(subject, RIGHT_FILL);
  const file = await jpeg(picture.composite([{ input: Buffer.from(svg(canvas.width)) }]));
  return { file, canvas };
}

const svgOf = (side: number, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${content}</svg>`;

async function plantOffWhite(subject: Subject, random: Random): Promise<Planted> {
  const base = between(random, 225, 250);
  const tint = [between(random, 0, 4), between(random, 0, 4), between(random, 0, 4)];
  const fall = random.next() < 0.3 ? between(random, 3, 12) : 0;
  const ground = (_: number, y: number) =>
    tint.map((t) => Math.round(base + t - (fall * y) / subject.rgb.height));
  const pixels = onGround(subject, ground);
  const canvas = canvasFor(subject, RIGHT_FILL);
  return { file: await jpeg(await toCanvas(pixels, canvas, ground(0, 0))), canvas };
}

async function plantLowFill(subject: Subject): Promise<Planted> {
  const canvas = canvasFor(subject, 0.7);
  return { file: await jpeg(await toCanvas(onGround(subject, white), canvas, white())), canvas };
}

const COLOURS = ['#000000', '#c8102e', '#1e50a0', '#888888', '#d4af37', '#cccccc'] as const;

async function plantBorder(subject: Subject, random: Random): Promise<Planted> {
  const thick = Math.round(between(random, 2, 14));
  const inset = random.next() < 0.5 ? 0 : Math.round(between(random, 4, 16));
  const colour = random.pick(COLOURS);
  return draw(subject, (side) => {
    const at = inset + thick / 2;
    const length = side - 2 * at;
    return svgOf(
      side,
      `<rect x="${at}" y="${at}" width="${length}" height="${length}" fill="none" stroke="${colour}" stroke-width="${thick}"/>`,
    );
  });
}

/** Returns in which corner of a right picture the subject leaves the most room. */
function freestCorner({ matte, box }: Subject): { right: boolean; bottom: boolean } {
  const corners = [false, true].flatMap((bottom) =>
    [false, true].map((right) => {
      let covered = 0;
      for (let y = 0; y < box.height / 4; y++)
        for (let x = 0; x < box.width / 2; x++) {
          const column = right ? box.left + box.width - 1 - x : box.left + x;
          const row = bottom ? box.top + box.height - 1 - y : box.top + y;
          if (matte.data[row * matte.width + column]! > 0) covered++;
        }
      return { right, bottom, covered };
    }),
  );
  return corners.reduce((best, corner) => (corner.covered < best.covered ? corner : best));
}

const WORDS = ['SALE', '-30%', 'NEW', 'Free delivery', 'Best price', '2 for 1'] as const;

async function plantText(subject: Subject, random: Random): Promise<Planted> {
  const { right, bottom } = freestCorner(subject);
  const word = random.pick(WORDS);
  const colour = random.pick(COLOURS);
  const size = between(random, 0.03, 0.07);
  return draw(subject, (side) => {
    const x = right ? 0.97 * side : 0.03 * side;
    const y = bottom ? 0.95 * side : 0.09 * side;
    return svgOf(
      side,
      `<text x="${x}" y="${y}" text-anchor="${right ? 'end' : 'start'}" font-family="DejaVu Sans" font-size="${size * side}" fill="${colour}">${word}</text>`,
    );
  });
}

async function plantWatermark(subject: Subject, random: Random): Promise<Planted> {
  const opacity = between(random, 0.12, 0.4);
  const size = between(random, 0.06, 0.12);
  const grey = random.pick(['#000000', '#444444', '#888888']);
  return draw(subject, (side) => {
    const lines = [0.2, 0.5, 0.8].map(
      (y) =>
        `<text x="${side / 2}" y="${y * side}" text-anchor="middle" font-family="DejaVu Sans" font-size="${size * side}" fill="${grey}" fill-opacity="${opacity}">© shop.example</text>`,
    );
    return svgOf(side, `<g transform="rotate(-30 ${side / 2} ${side / 2})">${lines.join('')}</g>`);
  });
}

async function plantCut(subject: Subject, random: Random): Promise<Planted> {
  const canvas = canvasFor(subject, RIGHT_FILL);
  const { box } = subject;
  const share = between(random, 0.06, 0.25);
  const isAcross = random.next() < 0.5;
  const cut = isAcross
    ? { ...canvas, left: box.left + Math.round(share * box.width) }
    : { ...canvas, height: box.top + Math.round((1 - share) * box.height) - canvas.top };
  return {
    file: await jpeg(await toCanvas(onGround(subject, white), cut, white())),
    canvas: cut,
  };
}

const GROUNDS = [
  [120, 120, 120],
  [60, 80, 120],
  [150, 110, 70],
  [40, 90, 50],
  [190, 190, 195],
] as const;

/** Puts the subject on a coloured ground, for a matte that is then too wide. */
export async function onColour(subject: Subject, random: Random): Promise<Planted> {
  const base = random.pick(GROUNDS);
  const grain = () => Math.round(between(random, -4, 4));
  const ground = () => {
    const g = grain();
    return base.map((c) => c + g);
  };
  const canvas = canvasFor(subject, 0.8);
  return { file: await jpeg(await toCanvas(onGround(subject, ground), canvas, [...base])), canvas };
}

const plantFringe = async (subject: Subject, random: Random): Promise<Planted> => ({
  ...(await onColour(subject, random)),
  widenedBy: 2 + Math.floor(3 * random.next()),
});

/** The faults: the rule that is to find them, and whether `fixRules` makes them right. */
export const FAULTS: readonly {
  name: string;
  rule: RuleId;
  isFixable: boolean;
  plant(subject: Subject, random: Random): Promise<Planted>;
}[] = [
  { name: 'off-white ground', rule: 'background', isFixable: true, plant: plantOffWhite },
  { name: '70 % fill', rule: 'fill-ratio', isFixable: true, plant: plantLowFill },
  { name: 'border', rule: 'border', isFixable: true, plant: plantBorder },
  { name: 'text', rule: 'overlay', isFixable: true, plant: plantText },
  { name: 'watermark', rule: 'overlay', isFixable: true, plant: plantWatermark },
  { name: 'cut edge', rule: 'cut-by-frame', isFixable: false, plant: plantCut },
  { name: 'fringe', rule: 'fringe', isFixable: true, plant: plantFringe },
];
