import { FINE_DRAWINGS } from './fine-drawings.ts';
import { between, type Palette } from './palette.ts';
import { PRINTS } from './prints.ts';

/** Fine lines on cloth: folds and threads. */
function texture({ random }: Palette, x: number, y: number, width: number, height: number): string {
  const folds = Array.from({ length: 12 }, () => {
    const [left, top] = [x + width * random.next(), y + height * 0.8 * random.next()];
    const [dx, dy] = [between(random, -12, 12), between(random, 20, 70)];
    return `M${left} ${top}q${dx} ${dy / 2} ${dx / 2} ${dy}`;
  });
  const tone = random.pick(['#000', '#fff']);
  return `<path d="${folds.join('')}" fill="none" stroke="${tone}" stroke-opacity=".12" stroke-width="${between(random, 1, 4)}"/>`;
}

/** An open neck with its lining, sleeves, a waistband and a zip, which may run through the hem. */
function jacket(palette: Palette): string {
  const { random, cloth, trim } = palette;
  const [half, hem] = [between(random, 70, 100), between(random, 370, 420)];
  const [left, right] = [200 - half, 200 + half];
  const flare = between(random, 40, 80);
  const sleeves = between(random, 260, 340);
  const neck = between(random, 26, 46);
  const zip = between(random, 3, 9);
  const zipEnd = random.pick([hem, hem - 28, hem - 6]);
  const lining = random.pick([trim, random.pick(['#c9c4c0', '#8d8f94', '#3a3d45', '#d9b36c'])]);
  const band = random.pick([trim, '#2e3748', '#6b2d33', cloth]);
  const sleeve = (side: number) => {
    const x = (dx: number) => 200 + side * dx;
    return `<path fill="${cloth}" d="M${x(half - 12)} 78L${x(half + 16)} 92 ${x(half + flare + 26)} ${sleeves} ${x(half + flare - 14)} ${sleeves + 10} ${x(half)} 190z"/>`;
  };
  return `
    ${sleeve(-1)}${sleeve(1)}
    <path fill="${cloth}" d="M${left} 92Q${left + 20} 70 ${200 - neck} 58L${200 + neck} 58Q${right - 20} 70 ${right} 92V${hem}H${left}z"/>
    ${texture(palette, left, 100, 2 * half, hem - 150)}
    <ellipse cx="200" cy="60" rx="${neck}" ry="${neck / 2}" fill="${lining}"/>
    <path fill="${lining}" d="M${200 - neck * 0.9} 64L200 ${64 + neck * 1.5} ${200 + neck * 0.9} 64z"/>
    <rect x="${left}" y="${hem - 24}" width="${2 * half}" height="24" fill="${band}"/>
    <rect x="${200 - zip / 2}" y="${64 + neck}" width="${zip}" height="${zipEnd - 64 - neck}" fill="${trim}"/>`;
}

/** A top on thin straps, with a slit of ground between them. */
function straps(palette: Palette): string {
  const { random, cloth, trim } = palette;
  const [half, width] = [between(random, 60, 90), between(random, 4, 12)];
  const top = between(random, 130, 170);
  const strap = (side: number) =>
    `<path fill="none" stroke="${trim}" stroke-width="${width}" d="M${200 + side * half * 0.8} ${top + 6}Q${200 + side * half * 0.7} 60 ${200 + side * 20} 52"/>`;
  return `${strap(-1)}${strap(1)}
    <path fill="none" stroke="${trim}" stroke-width="${width}" d="M178 53Q200 46 222 53"/>
    <path fill="${cloth}" d="M${200 - half} ${top}Q200 ${top + 40} ${200 + half} ${top}L${200 + half + 14} 400H${186 - half}z"/>
    ${texture(palette, 200 - half, top + 30, 2 * half, 200)}`;
}

/** A bag with a closed handle above it. */
function bag(palette: Palette): string {
  const { random, cloth, trim } = palette;
  const [half, top] = [between(random, 90, 130), between(random, 190, 230)];
  const [reach, width] = [between(random, 0.4, 0.75), between(random, 5, 14)];
  return `<path fill="none" stroke="${trim}" stroke-width="${width}" d="M${200 - half * reach} ${top + 8}C${200 - half * reach} ${top - 180} ${200 + half * reach} ${top - 180} ${200 + half * reach} ${top + 8}"/>
    <path fill="${cloth}" d="M${200 - half} ${top}H${200 + half}L${212 + half} 380H${188 - half}z"/>
    ${texture(palette, 200 - half, top + 10, 2 * half, 140)}
    <rect x="${200 - half / 3}" y="${top}" width="${(2 * half) / 3}" height="12" fill="${trim}"/>`;
}

/** Glasses, whose temples cross behind the lenses. */
function glasses({ random, cloth }: Palette): string {
  const [rx, ry] = [between(random, 52, 70), between(random, 40, 58)];
  const width = between(random, 4, 12);
  const drop = between(random, -30, 30);
  const lens = (side: number) =>
    `<ellipse cx="${200 + side * 85}" cy="220" rx="${rx}" ry="${ry}"/>
     <path d="M${200 + side * (85 + rx)} 212L${200 + side * 150} ${150 + drop / 3}Q${200 + side * 120} ${130 + drop} ${200 + side * 40} ${160 + drop}"/>`;
  return `<g fill="none" stroke="${cloth}" stroke-width="${width}">${lens(-1)}${lens(1)}
    <path d="M${115 + rx} 212Q200 190 ${285 - rx} 212"/></g>`;
}

/** A closed necklace of links with a pendant. */
function chain({ random, cloth, trim }: Palette): string {
  const [rx, ry] = [between(random, 90, 140), between(random, 110, 150)];
  const count = Math.round(between(random, 40, 60));
  const links = Array.from({ length: count }, (_, i) => {
    const turn = (2 * Math.PI * i) / count;
    const [x, y] = [200 + rx * Math.cos(turn), 190 + ry * Math.sin(turn)];
    return `<ellipse cx="${x}" cy="${y}" rx="${(4.4 * rx) / count}" ry="5" transform="rotate(${(180 * turn) / Math.PI + 90} ${x} ${y})"/>`;
  });
  return `<g fill="none" stroke="${cloth}" stroke-width="${between(random, 3, 6)}">${links.join('')}</g>
    <circle cx="200" cy="${200 + ry}" r="${between(random, 10, 20)}" fill="${trim}"/>`;
}

/** A ring with a stone. */
function ring({ random, cloth, trim }: Palette): string {
  const [rx, tilt] = [between(random, 70, 130), between(random, 0.55, 1)];
  const [width, stone] = [between(random, 10, 26), between(random, 12, 34)];
  const top = 220 - rx * tilt;
  return `<ellipse cx="200" cy="220" rx="${rx}" ry="${rx * tilt}" fill="none" stroke="${cloth}" stroke-width="${width}"/>
    <path fill="${trim}" d="M${200 - stone} ${top}L200 ${top - stone * 1.2} ${200 + stone} ${top} 200 ${top + stone}z"/>`;
}

/** A skirt whose lower part is a mesh of holes that show the ground. */
function mesh({ random, cloth }: Palette): string {
  const step = between(random, 6, 12);
  const radius = step * between(random, 0.28, 0.4);
  const [waist, hem] = [between(random, 40, 60), between(random, 100, 150)];
  const from = between(random, 180, 260);
  const halfAt = (y: number) => waist + ((hem - waist) * (y - 60)) / 320;
  const holes: string[] = [];
  for (let y = from; y < 372; y += step)
    for (let x = 200 - halfAt(y) + step; x < 200 + halfAt(y) - step; x += step)
      holes.push(
        `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`,
      );
  return `<path fill="${cloth}" fill-rule="evenodd" d="M${200 - waist} 60H${200 + waist}L${200 + hem} 380H${200 - hem}z${holes.join('')}"/>`;
}

/** Goods nearly of the ground's colour, drawn by their seams and folds. */
function pale(palette: Palette): string {
  const { random, seam } = palette;
  const [half, line] = [between(random, 70, 95), between(random, 1, 2.5)];
  const folds = Array.from({ length: 8 }, () => {
    const x = 200 + half * between(random, -0.9, 0.9);
    return `M${x} ${between(random, 110, 200)}q${between(random, -14, 14)} 60 0 ${between(random, 60, 140)}`;
  });
  return `<g fill="${palette.pale}" stroke="${seam}" stroke-width="${line}">
    <path d="M${200 - half} 92L168 66Q200 86 232 66L${200 + half} 92 ${200 + half + 60} 190 ${200 + half + 20} 212 ${200 + half} 170V390H${200 - half}V170L${180 - half} 212 ${140 - half} 190z"/>
    <path fill="none" stroke-opacity=".6" d="M${200 - half} 170V120M${200 + half} 170V120M168 66Q200 100 232 66${folds.join('')}"/></g>`;
}

/** Arms on the hips, legs apart: gaps that the body closes, or nearly. */
function figure(palette: Palette): string {
  const { random, cloth, trim } = palette;
  const skin = random.pick(['#e0ac8b', '#8d5a3b', '#f1c9ae', '#4f3325']);
  const [half, elbow] = [between(random, 34, 44), between(random, 62, 96)];
  const arm = (side: number) =>
    `<path fill="none" stroke="${skin}" stroke-width="16" stroke-linejoin="round" d="M${200 + side * half} 96L${200 + side * elbow} 160 ${200 + side * (half - 6)} 214"/>`;
  const apart = between(random, 6, 30);
  const leg = (side: number) =>
    `<path fill="${trim}" d="M${200 + side * (half + 2)} 214L${200 + side * (apart + 30)} 384H${200 + side * apart}L200 250z"/>`;
  return `${arm(-1)}${arm(1)}<circle cx="200" cy="48" r="22" fill="${skin}"/><rect x="190" y="64" width="20" height="24" fill="${skin}"/>
    ${leg(-1)}${leg(1)}<path fill="${trim}" d="M${198 - half} 205H${202 + half}L210 262H190z"/>
    <path fill="${cloth}" d="M${196 - half} 88Q200 74 ${204 + half} 88L${202 + half} 216H${198 - half}z"/>
    ${texture(palette, 200 - half, 100, 2 * half, 100)}`;
}

/** Every kind of drawing: a subject on a canvas of 400 x 440, as SVG. */
export const DRAWINGS = {
  jacket,
  straps,
  bag,
  glasses,
  chain,
  ring,
  mesh,
  pale,
  figure,
  ...FINE_DRAWINGS,
  ...PRINTS,
} as const satisfies Record<string, (palette: Palette) => string>;

export type DrawingName = keyof typeof DRAWINGS;
