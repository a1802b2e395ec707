import sharp from 'sharp';

/** On a canvas of 200 x 400: a person in a red T-shirt, blue trousers and black shoes. */
const FIGURE = `
  <defs>
    <linearGradient id="face" x1="0" y1="0" x2="1" y2="0">
      <stop offset="0" stop-color="#d9a27c"/><stop offset="1" stop-color="#b57d58"/>
    </linearGradient>
    <linearGradient id="shirt" x1="0" y1="0" x2="1" y2="1">
      <stop offset="0" stop-color="#c8323a"/><stop offset="1" stop-color="#8f1f2a"/>
    </linearGradient>
    <linearGradient id="denim" x1="0" y1="0" x2="1" y2="0">
      <stop offset="0" stop-color="#3a5f96"/><stop offset=".5" stop-color="#2c4a78"/><stop offset="1" stop-color="#36588c"/>
    </linearGradient>
  </defs>
  <path fill="url(#face)" d="M62 98 50 172q-2 12 6 14t10-10l12-70zM138 98l12 74q2 12-6 14t-10-10l-12-70z"/>
  <path fill="url(#face)" d="M92 66h16v22H92zM78 44q0-26 22-26t22 26q0 30-22 32-22-2-22-32z"/>
  <path fill="#3a2418" d="M76 48q-4-36 24-36t24 36q-6-18-14-22-16 8-28 0-4 8-6 22z"/>
  <path fill="url(#shirt)" d="M88 80q12 8 24 0l22 8 14 42-18 8-4-12-2 76H76l-2-76-4 12-18-8 14-42z"/>
  <path fill="url(#denim)" d="M75 198h50l6 164h-22l-9-120-9 120H69z"/>
  <path fill="#1c1c20" d="M68 358h24v18H58q-2-10 10-18zM132 358h-24v18h34q2-10-10-18z"/>
  <g fill="none" stroke="#000" opacity=".25" stroke-width="2">
    <path d="M84 130q10 20 2 60M116 130q-10 24-2 60M84 210l-4 140M116 210l4 140M90 198v14h20v-14"/>
  </g>`;

/** On a canvas of 200 x 300: a small child in a yellow T-shirt, shorts and red shoes. */
const CHILD = `
  <path fill="#d9a27c" d="M66 122 48 176q-3 10 5 12t9-8l16-46zM134 122l18 54q3 10-5 12t-9-8l-16-46z"/>
  <path fill="#d9a27c" d="M92 96h16v16H92zM60 60q0-44 40-44t40 44q0 42-40 44-40-2-40-44z"/>
  <path fill="#6b4423" d="M57 62q-4-52 43-52t43 52q-8-26-22-32-26 12-44 0-10 8-20 32z"/>
  <circle cx="86" cy="66" r="4" fill="#222"/><circle cx="114" cy="66" r="4" fill="#222"/>
  <path d="M90 84q10 8 20 0" stroke="#8a3b2e" fill="none" stroke-width="2"/>
  <path fill="#f0b429" d="M84 108q16 8 32 0l22 10 8 26-16 6-4-8v56H74v-56l-4 8-16-6 8-26z"/>
  <path fill="#2f5d8a" d="M74 196h52l4 36h-24l-6-10-6 10H70z"/>
  <path fill="#d9a27c" d="M74 230h18v34H74zM108 230h18v34h-18z"/>
  <path fill="#c83a3a" d="M68 262h28v14H60q0-8 8-14zM132 262h-28v14h36q0-8-8-14z"/>`;

/** On a canvas of 200 x 400: a dressed shop dummy without head and limbs, on its stand. */
const DUMMY = `
  <path fill="#e8e4da" d="M94 60h12v30H94z"/>
  <path fill="#8a6a48" d="M97 196h6v150h-6zM70 346h60v10H70z"/>
  <path fill="#2f6b4f" d="M88 80q12 8 24 0l22 8 14 42-18 8-4-12-2 76H76l-2-76-4 12-18-8 14-42z"/>`;

interface Canvas {
  width: number;
  height: number;
}

/** Draws something in the middle of a ground, as a PNG. @param viewBox of the drawing */
const draw = ({ width, height }: Canvas, viewBox: string, drawing: string): Promise<Buffer> =>
  sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
      <rect width="100%" height="100%" fill="#dcd8cf"/>
      <svg viewBox="${viewBox}" width="${width}" height="${height}">${drawing}</svg>
    </svg>`),
  )
    .removeAlpha()
    .png()
    .toBuffer();

/** A drawn person who stands on a plain light ground, as a PNG; no photo of a person is stored. */
export const drawnFigure = (width: number, height: number): Promise<Buffer> =>
  draw({ width, height }, '0 0 200 400', FIGURE);

/** The drawn person alone, transparent around, as a PNG. */
export const figureAlone = (width: number, height: number): Promise<Buffer> =>
  sharp(
    Buffer.from(`<svg viewBox="0 0 200 400" width="${width}" height="${height}">${FIGURE}</svg>`),
  )
    .png()
    .toBuffer();

/** A drawn child on the same ground, 2 to 3. */
export const drawnChild = (): Promise<Buffer> =>
  draw({ width: 480, height: 720 }, '0 0 200 300', CHILD);

/** The drawn child, lying. */
export const drawnChildLying = async (): Promise<Buffer> =>
  sharp(await drawnChild())
    .rotate(90)
    .png()
    .toBuffer();

/** A drawn shop dummy on the same ground. */
export const drawnDummy = (): Promise<Buffer> =>
  draw({ width: 400, height: 800 }, '0 0 200 400', DUMMY);

/** The drawn person on a framed poster on the wall of a room. */
export const drawnPoster = (): Promise<Buffer> =>
  draw(
    { width: 800, height: 800 },
    '0 0 800 800',
    `<rect y="640" width="800" height="160" fill="#8d6b4a"/>
    <rect x="230" y="60" width="340" height="520" fill="#20242a"/>
    <rect x="245" y="75" width="310" height="490" fill="#f3e7c2"/>
    <svg x="265" y="90" viewBox="0 0 200 400" width="270" height="460">${FIGURE}</svg>`,
  );
