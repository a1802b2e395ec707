import { between, type Palette } from './palette.ts';
import { FINE_PRINTS } from './prints.ts';

/** A hair's or a thread's way down from a point: bent a little. */
const thread = ({ random }: Palette, x: number, y: number, length: number): string => {
  const [bend, end] = [between(random, -3, 3), between(random, -4, 4)];
  return `M${x} ${y}q${bend} ${length / 2} ${end} ${length * between(random, 0.9, 1)}`;
};

/** A shawl with a fringe of threads. */
function fringe(palette: Palette): string {
  const { random, cloth, trim } = palette;
  const [half, hem] = [between(random, 120, 160), between(random, 260, 320)];
  const length = between(random, 40, 90);
  const step = between(random, 1.1, 2.6);
  const width = step * between(random, 0.3, 0.6);
  const threads: string[] = [];
  for (let x = 200 - half; x <= 200 + half; x += step)
    threads.push(thread(palette, x, hem - 2, length));
  return `<path fill="${cloth}" d="M${200 - half} 60Q200 40 ${200 + half} 60V${hem}H${200 - half}z"/>
    <rect x="${200 - half}" y="${hem - 40}" width="${2 * half}" height="12" fill="${trim}"/>
    <path d="${threads.join('')}" fill="none" stroke="${cloth}" stroke-width="${width}"/>`;
}

/** Lines that cross, between two rows, as wide as the goods are. */
function net(
  { random }: Palette,
  [from, to]: readonly [number, number],
  halfAt: (y: number) => number,
  step: number,
): string {
  const lines: string[] = [];
  const lean = between(random, 0.5, 1);
  const reach = halfAt(to) + (to - from) * lean;
  for (let x = 200 - reach; x <= 200 + reach; x += step) {
    lines.push(`M${x} ${from}l${(to - from) * lean} ${to - from}`);
    lines.push(`M${x} ${from}l${(from - to) * lean} ${to - from}`);
  }
  return lines.join('');
}

/** A skirt whose hem is lace: flowers on a net. */
function lace(palette: Palette): string {
  const { random, cloth } = palette;
  const [waist, hem] = [between(random, 40, 60), between(random, 110, 150)];
  const from = between(random, 220, 300);
  const halfAt = (y: number) => waist + ((hem - waist) * (y - 60)) / 320;
  const step = between(random, 1.8, 4);
  const flowers: string[] = [];
  const apart = between(random, 14, 24);
  for (let y = from + apart / 2; y < 380; y += apart)
    for (let x = 200 - halfAt(y); x < 200 + halfAt(y); x += apart)
      flowers.push(`<circle cx="${x}" cy="${y}" r="${apart * between(random, 0.15, 0.3)}"/>`);
  return `<clipPath id="hem"><path d="M${200 - halfAt(from)} ${from}H${200 + halfAt(from)}L${200 + hem} 380H${200 - hem}z"/></clipPath>
    <g fill="${cloth}"><path d="M${200 - waist} 60H${200 + waist}L${200 + halfAt(from)} ${from}H${200 - halfAt(from)}z"/>
    <g clip-path="url(#hem)"><path fill="none" stroke="${cloth}" stroke-width="${step * between(random, 0.2, 0.4)}" d="${net(palette, [from, 380], halfAt, step)}"/>${flowers.join('')}</g>
    <path d="M${200 - hem} 376H${200 + hem}v5H${200 - hem}z"/></g>`;
}

/** A bag of net, with a handle and a rim. */
function netBag(palette: Palette): string {
  const { random, cloth, trim } = palette;
  const half = between(random, 90, 120);
  const step = between(random, 4, 9);
  return `<clipPath id="body"><path d="M${200 - half} 180H${200 + half}Q${220 + half} 390 200 400Q${180 - half} 390 ${200 - half} 180z"/></clipPath>
    <path clip-path="url(#body)" fill="none" stroke="${cloth}" stroke-width="${step * between(random, 0.15, 0.35)}" d="${net(palette, [180, 400], () => half, step)}"/>
    <g fill="none" stroke="${trim}" stroke-width="${between(random, 6, 12)}"><path d="M${196 - half} 180H${204 + half}"/>
    <path d="M${200 - half * 0.6} 180C${200 - half * 0.6} 40 ${200 + half * 0.6} 40 ${200 + half * 0.6} 180"/></g>`;
}

/** Goods finer than what a network sees of a large picture, and prints that are as fine. */
export const FINE_DRAWINGS = {
  fringe,
  lace,
  'net-bag': netBag,
  ...FINE_PRINTS,
} as const satisfies Record<string, (palette: Palette) => string>;
