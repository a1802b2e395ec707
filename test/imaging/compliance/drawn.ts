import type { Matte, MattedImage } from '../../../src/imaging/picture.ts';

type Rgb = readonly [number, number, number];

/** A drawn picture: a ground, a rectangle of one colour on it as the subject, and its matte. */
export interface Drawn extends MattedImage {
  subject: Matte;
}

const WHITE: Rgb = [255, 255, 255];
const BLUE: Rgb = [20, 40, 160];

/** Calls `visit` for each pixel of a box. */
export function eachIn(
  { width }: { width: number },
  [left, top, right, bottom]: readonly [number, number, number, number],
  visit: (pixel: number) => void,
): void {
  for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) visit(y * width + x);
}

/** Draws a subject over the middle half of a picture; opaque. */
export function drawPicture(side = 200, ground: Rgb = WHITE, subjectColour: Rgb = BLUE): Drawn {
  const size = { width: side, height: side };
  const pixels = { data: new Uint8Array(3 * side * side), ...size };
  const subject = { data: new Uint8Array(side * side), ...size };
  const drawn = {
    pixels,
    matte: { data: new Uint8Array(side * side).fill(255), ...size },
    subject,
  };
  fill(drawn, [0, 0, side, side], ground);
  const middle = [side / 4, side / 4, (3 * side) / 4, (3 * side) / 4] as const;
  fill(drawn, middle, subjectColour);
  eachIn(size, middle, (i) => {
    subject.data[i] = 255;
  });
  return drawn;
}

/** Fills a box of a picture with a colour. */
export function fill(
  { pixels }: MattedImage,
  box: readonly [number, number, number, number],
  colour: Rgb,
): void {
  const { data } = pixels;
  eachIn(pixels, box, (i) => {
    for (let c = 0; c < 3; c++) data[3 * i + c] = colour[c]!;
  });
}
