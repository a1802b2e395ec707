import { between, type Palette } from './palette.ts';

/** How dark folds are on prints of ordinary size, opacity: bright light leaves little. */
const FOLDS = { min: 0.06, max: 0.25 };

/** A shirt, printed nearly in the ground's colour: nothing of it is clear. */
function printed({ random, cloth }: Palette, print: string, opacity: number): string {
  const half = between(random, 80, 110);
  const body = `M${200 - half} 92L168 66Q200 90 232 66L${200 + half} 92 ${200 + half + 50} 190 ${200 + half + 10} 212 ${200 + half} 170V390H${200 - half}V170L${190 - half} 212 ${150 - half} 190z`;
  const folds = Array.from({ length: 9 }, () => {
    const x = 200 + half * between(random, -0.9, 0.9);
    return `M${x} ${between(random, 90, 240)}q${between(random, -14, 14)} 60 0 ${between(random, 60, 140)}`;
  });
  return `<clipPath id="body"><path d="${body}"/></clipPath><filter id="fold"><feGaussianBlur stdDeviation="5"/></filter>
    <g clip-path="url(#body)"><rect width="400" height="440" fill="${cloth}"/>${print}
    <path filter="url(#fold)" d="${folds.join('')}" fill="none" stroke="#000" stroke-opacity="${opacity}" stroke-width="9"/></g>`;
}

function dotted(step: number, radius: number, colour: string): string {
  const circles: string[] = [];
  for (let y = 60; y < 400; y += step)
    for (let x = 40; x < 360; x += step)
      circles.push(
        `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`,
      );
  return `<path fill="${colour}" d="${circles.join('')}"/>`;
}

function striped(step: number, width: number, colour: string): string {
  const lines: string[] = [];
  for (let y = 60; y < 400; y += step) lines.push(`M0 ${y}H400`);
  return `<path stroke="${colour}" stroke-width="${width}" d="${lines.join('')}"/>`;
}

/** A shirt with small dots. */
function dots(palette: Palette): string {
  const step = between(palette.random, 3, 10);
  const radius = step * between(palette.random, 0.15, 0.35);
  return printed(palette, dotted(step, radius, palette.pale), FOLDS.max);
}

/** A shirt with thin stripes, which end at its outline. */
function stripes(palette: Palette): string {
  const step = between(palette.random, 2, 8);
  const width = step * between(palette.random, 0.3, 0.5);
  return printed(palette, striped(step, width, palette.pale), FOLDS.max);
}

const foldsOf = ({ random }: Palette): number => between(random, FOLDS.min, FOLDS.max);

/** A shirt with large dots. */
function polka(palette: Palette): string {
  const step = between(palette.random, 12, 40);
  const radius = step * between(palette.random, 0.2, 0.35);
  return printed(palette, dotted(step, radius, palette.print), foldsOf(palette));
}

/** A shirt with wide stripes across. */
function breton(palette: Palette): string {
  const step = between(palette.random, 10, 36);
  const width = step * between(palette.random, 0.4, 0.7);
  return printed(palette, striped(step, width, palette.print), foldsOf(palette));
}

/** A shirt with squares: stripes both ways, between which half of the cloth's colour is left. */
function gingham(palette: Palette): string {
  const step = between(palette.random, 6, 24);
  const across = striped(step, step / 2, palette.print);
  const along = `<g transform="rotate(90 200 220)">${across}</g>`;
  return printed(
    palette,
    `<g opacity=".5">${across}</g>${along.replace('<g ', '<g opacity=".5" ')}${squares(step, palette.print)}`,
    foldsOf(palette),
  );
}

/** Where the stripes of gingham cross, nothing of the cloth's colour is left. */
function squares(step: number, colour: string): string {
  const quarter = step / 4;
  const parts: string[] = [];
  for (let y = 60; y < 400; y += step)
    for (let x = 380 % step; x < 400; x += step)
      parts.push(`M${x - quarter} ${y - quarter}h${step / 2}v${step / 2}h${-step / 2}z`);
  return `<path fill="${colour}" d="${parts.join('')}"/>`;
}

/** Prints that are as fine as lace. */
export const FINE_PRINTS = { dots, stripes } as const;
/** Prints of the ground's colour, or nearly. */
export const PRINTS = { polka, breton, gingham } as const;
