/**
 * A knitted sweater on oak planks, drawn for this project as SVG on a canvas of 800 x 1000. The light comes
 * from the top left.
 */

const SLEEVE = `M236 186C186 212 160 268 142 348 122 438 104 546 90 648L82 716Q80 728 92 731L150 742
  Q163 744 166 732L178 668C190 600 208 524 246 420Q268 300 262 214Z`;
const BODY = `M312 142C288 158 258 172 228 188 230 262 240 330 238 402 236 500 226 600 222 690L219 748
  Q218 764 232 767 400 796 568 767 582 764 581 748L578 690C574 600 564 500 562 402 560 330 570 262 572 188
  542 172 512 158 488 142Q400 200 312 142Z`;
const HEM = 'M222 694Q400 724 578 694L581 748Q582 764 568 767 400 796 232 767 218 764 219 748Z';
const CUFF = 'M90 648Q132 668 178 668L166 732Q163 744 150 742L92 731Q80 728 82 716Z';
const [COLLAR, OPENING] = [
  'cx="400" cy="172" rx="92" ry="52"',
  'cx="400" cy="169" rx="79" ry="39"',
];

/** The left sleeve and its mirror image. */
const mirrored = (left: string) => `${left}<g transform="matrix(-1 0 0 1 800 0)">${left}</g>`;

const WOOL = '#2b6470';
const CREAM = '#e6dcc6';

/** A pattern of stitches, each a V of two strands. */
const stitches = (id: string, strand: string, gap: string, angle: number) => `
  <pattern id="${id}" width="11" height="9" patternUnits="userSpaceOnUse" patternTransform="rotate(${angle})">
    <rect width="11" height="9" fill="${gap}"/>
    <g fill="none" stroke="${strand}" stroke-width="3.7" stroke-linecap="round">
      <path d="M.9 -7 4.4 0M10.1 -7 6.6 0M.9 2 4.4 9M10.1 2 6.6 9"/>
    </g>
    <g fill="none" stroke="#fff" stroke-opacity=".2" stroke-width="1.1" stroke-linecap="round">
      <path d="M.6 2.4 3.2 7.4M9.6 2.4 7 7.4"/>
    </g>
  </pattern>`;

/** A pattern of narrow, deep ribs. */
const ribs = (id: string, angle: number) => `
  <pattern id="${id}" width="10" height="9" patternUnits="userSpaceOnUse" patternTransform="rotate(${angle})">
    <rect width="10" height="9" fill="#163f49"/>
    <rect x="1.2" width="6.6" height="9" fill="#2a6370"/>
    <path d="M2.4 0 4.4 4.5 2.4 9M6.6 0 4.6 4.5 6.6 9" fill="none" stroke="#3c7b87" stroke-width="1.2"/>
  </pattern>`;

const FILTERS = `
  <filter id="hand" x="-5%" y="-5%" width="110%" height="110%">
    <feTurbulence type="fractalNoise" baseFrequency=".012" numOctaves="2" seed="4"/>
    <feDisplacementMap in="SourceGraphic" scale="9" xChannelSelector="R" yChannelSelector="G"/>
  </filter>
  <filter id="crumple" x="0" y="0" width="100%" height="100%">
    <feTurbulence type="fractalNoise" baseFrequency=".0075 .0045" numOctaves="3" seed="23"/>
    <feColorMatrix values="0 0 0 0 0  0 0 0 0 0  0 0 0 0 0  1.6 0 0 0 -.3"/>
    <feGaussianBlur stdDeviation="5"/>
    <feDiffuseLighting surfaceScale="26" diffuseConstant="1.02" lighting-color="#fff">
      <feDistantLight azimuth="225" elevation="52"/>
    </feDiffuseLighting>
  </filter>
  <filter id="fuzz" x="-5%" y="-5%" width="110%" height="110%">
    <feTurbulence type="fractalNoise" baseFrequency=".5" numOctaves="1" seed="8"/>
    <feDisplacementMap in="SourceGraphic" scale="3.5" xChannelSelector="R" yChannelSelector="G"/>
  </filter>
  <filter id="grain" x="0" y="0" width="100%" height="100%">
    <feTurbulence type="fractalNoise" baseFrequency=".0035 .11" numOctaves="4" seed="31"/>
    <feColorMatrix values="0 0 0 0 .3  0 0 0 0 .17  0 0 0 0 .07  1.5 0 0 0 -.45"/>
  </filter>
  <filter id="pores" x="0" y="0" width="100%" height="100%">
    <feTurbulence type="fractalNoise" baseFrequency=".02 .55" numOctaves="2" seed="5"/>
    <feColorMatrix values="0 0 0 0 .2  0 0 0 0 .11  0 0 0 0 .05  0 3 0 0 -1.75"/>
  </filter>
  ${[2, 5, 9, 16, 30].map((blur) => `<filter id="blur${blur}" x="-30%" y="-30%" width="160%" height="160%"><feGaussianBlur stdDeviation="${blur}"/></filter>`).join('')}`;

const PLANKS = [
  { y: -20, height: 252, tone: '#c99a66', shift: 0 },
  { y: 232, height: 258, tone: '#bd8b57', shift: 310 },
  { y: 490, height: 250, tone: '#cda06d', shift: 655 },
  { y: 740, height: 280, tone: '#c2925e', shift: 1020 },
];

/** Each plank shows another section of the same grain. */
const WOOD = PLANKS.map(
  ({ y, height, tone, shift }, i) => `
  <svg x="0" y="${y}" width="800" height="${height}" viewBox="0 ${shift} 800 ${height}">
    <rect y="${shift}" width="800" height="${height}" fill="${tone}"/>
    <rect width="800" height="1400" filter="url(#grain)" opacity=".85" ${i % 2 ? 'transform="matrix(-1 0 0 1 800 0)"' : ''}/>
    <rect width="800" height="1400" filter="url(#pores)" opacity=".35"/>
    <rect y="${shift + height - 5}" width="800" height="3" fill="#3a2412" opacity=".8"/>
    <rect y="${shift + height - 2}" width="800" height="2" fill="#f3cf9d" opacity=".5"/>
  </svg>`,
).join('');

const STRIPES = [300, 344].map((y) => `<path d="M200 ${y}Q400 ${y + 16} 600 ${y}"/>`).join('');
const SLEEVE_STRIPES = ['M120 372Q190 408 270 398', 'M108 420Q180 452 262 440']
  .map((d) => `<path d="${d}"/>`)
  .join('');

/** Folds of the cloth: each has a shadow and a highlight beside it. */
const FOLDS = `
  <path d="M256 250Q290 300 286 372M244 410Q300 452 322 520M236 560Q300 560 342 500"/>
  <path d="M544 250Q514 306 518 376M556 420Q496 468 478 540M566 600Q500 590 462 520"/>
  <path d="M330 262Q352 300 350 350M470 262Q446 300 448 356M296 690Q318 640 312 590M486 694Q478 650 492 604"/>`;
const SLEEVE_FOLDS = `
  <path d="M248 256Q212 292 200 352M240 424Q192 444 150 430M208 520Q166 536 126 520M196 590Q152 604 114 586"/>`;

const folds = (paths: string) => `
  <g fill="none" stroke-linecap="round">
    <g stroke="#04161b" stroke-width="16" opacity=".46" filter="url(#blur9)">${paths}</g>
    <g stroke="#04161b" stroke-width="5" opacity=".22" filter="url(#blur5)">${paths}</g>
    <g stroke="#fff" stroke-width="16" opacity=".15" filter="url(#blur9)" transform="translate(18 -7)">${paths}</g>
  </g>`;

/** A patterned shape, darker towards its edge, which makes it look thick. */
const thick = (d: string, fill: string, inside = '', edge = 22) => `
  <g>
    <g filter="url(#hand)"><path d="${d}" fill="${fill}"/>${inside}</g>
  </g>
  <path d="${d}" fill="none" stroke="#03181d" stroke-width="${edge}" opacity=".5" filter="url(#blur9)"/>`;

const sleeve = `
  <clipPath id="in-sleeve"><path d="${SLEEVE}"/></clipPath>
  <g clip-path="url(#in-sleeve)">
    ${thick(SLEEVE, 'url(#slope)', `<g fill="none" stroke="url(#cream-slope)" stroke-width="27">${SLEEVE_STRIPES}</g>`)}
    ${folds(SLEEVE_FOLDS)}
    <path d="${CUFF}" fill="url(#cuff-ribs)"/>
    <path d="M88 646Q132 668 180 667" fill="none" stroke="#04161b" stroke-width="7" opacity=".6" filter="url(#blur2)"/>
    <path d="${CUFF}" fill="none" stroke="#03181d" stroke-width="14" opacity=".5" filter="url(#blur5)"/>
  </g>`;

const body = `
  <clipPath id="in-body"><path d="${BODY}"/></clipPath>
  <path d="${BODY}" fill="#03181d" opacity=".85" filter="url(#blur5)" transform="translate(0 4)" clip-path="url(#in-sleeves)"/>
  <g clip-path="url(#in-body)">
    ${thick(BODY, 'url(#straight)', `<g fill="none" stroke="url(#cream)" stroke-width="27">${STRIPES}</g>`)}
    ${folds(FOLDS)}
    <path d="${HEM}" fill="url(#hem-ribs)"/>
    <path d="M221 692Q400 724 579 692" fill="none" stroke="#04161b" stroke-width="8" opacity=".6" filter="url(#blur2)"/>
    <path d="${HEM}" fill="none" stroke="#03181d" stroke-width="16" opacity=".5" filter="url(#blur5)"/>
  </g>`;

/** Ribs around the opening, which shows the inside of the back. */
const collar = `
  <ellipse ${COLLAR} fill="none" stroke="#03181d" stroke-width="34" opacity=".5" filter="url(#blur5)"/>
  <ellipse ${OPENING} fill="url(#straight)"/>
  <ellipse ${OPENING} fill="#04161b" opacity=".5"/>
  <rect x="374" y="142" width="52" height="30" rx="2" fill="${CREAM}"/>
  <path d="M384 153h32M384 160h20" stroke="#8a7d65" stroke-width="2.6"/>
  <ellipse ${OPENING} fill="none" stroke="#020d10" stroke-width="12" opacity=".7" filter="url(#blur5)"/>
  <g fill="none">
    <ellipse ${COLLAR} stroke="#163f49" stroke-width="27"/>
    <ellipse ${COLLAR} stroke="#2a6370" stroke-width="27" stroke-dasharray="6.6 3.6"/>
    <ellipse ${COLLAR} stroke="#fff" stroke-opacity=".16" stroke-width="27" stroke-dasharray="1.6 8.6" stroke-dashoffset="-1.6"/>
    <ellipse cx="400" cy="172" rx="105" ry="65" stroke="#03181d" stroke-width="5" opacity=".6" filter="url(#blur2)"/>
    <ellipse cx="400" cy="172" rx="79.5" ry="39.5" stroke="#03181d" stroke-width="5" opacity=".6" filter="url(#blur2)"/>
    <ellipse cx="398" cy="169" rx="92" ry="52" stroke="#fff" stroke-width="6" opacity=".16" filter="url(#blur2)"/>
  </g>`;

const SILHOUETTE = `<path d="${BODY}"/>${mirrored(`<path d="${SLEEVE}"/>`)}<ellipse cx="400" cy="172" rx="105" ry="65"/>`;

/** Returns the drawing as SVG, for any size with the aspect ratio 4 : 5. */
export const sweaterOnOak = (width: number, height: number): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 800 1000">
  <defs>
    ${FILTERS}
    ${stitches('straight', WOOL, '#143d47', 0)}
    ${stitches('slope', WOOL, '#143d47', 11)}
    ${stitches('cream', CREAM, '#9b8f76', 0)}
    ${stitches('cream-slope', CREAM, '#9b8f76', 11)}
    ${ribs('hem-ribs', 0)}
    ${ribs('cuff-ribs', 11)}
    <clipPath id="in-sleeves">${mirrored(`<path d="${SLEEVE}"/>`)}</clipPath>
    <mask id="cloth"><g fill="#fff">${SILHOUETTE}</g></mask>
    <radialGradient id="lamp" cx=".3" cy=".22" r="1"><stop offset="0" stop-color="#fff6e0" stop-opacity=".34"/>
      <stop offset=".45" stop-color="#fff6e0" stop-opacity="0"/><stop offset="1" stop-color="#1c0d02" stop-opacity=".5"/></radialGradient>
  </defs>
  ${WOOD}
  <g transform="rotate(-4.5 400 500) translate(4 40)">
    <g fill="#1d0f05">
      <g opacity=".5" filter="url(#blur16)" transform="translate(16 22)">${SILHOUETTE}</g>
      <g opacity=".65" filter="url(#blur5)" transform="translate(4 6)">${SILHOUETTE}</g>
    </g>
    <g filter="url(#fuzz)">
      ${mirrored(sleeve)}
      ${body}
      ${collar}
    </g>
    <g mask="url(#cloth)" style="mix-blend-mode:soft-light"><rect width="800" height="1000" filter="url(#crumple)" opacity=".9"/></g>
  </g>
  <rect width="800" height="1000" fill="url(#lamp)"/>
</svg>`);
