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

/** A drawn person who stands on a plain light ground, as a PNG; no photo of a person is stored. */
export const drawnFigure = (width: number, height: number): Promise<Buffer> =>
  sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
      <rect width="100%" height="100%" fill="#dcd8cf"/>
      <svg viewBox="0 0 200 400" width="${width}" height="${height}">${FIGURE}</svg>
    </svg>`),
  )
    .removeAlpha()
    .png()
    .toBuffer();
