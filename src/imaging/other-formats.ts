import { SNIFF_BYTES, sniffFormat } from './image-header.ts';

/** Enough for the longest of the signatures below, after whitespace and a line of XML. */
export const HEAD_BYTES = 256;

const EXPORT = 'export it as JPEG, PNG or WebP';
const RAW = 'TIFF, or the raw file of a camera';
const AS_IT_IS =
  'send its bytes as they are: -F image=@photo.jpg with curl, a Blob or File in JavaScript, open(path, "rb") in Python';

/**
 * What is sent in the place of an image: how its first bytes read in Latin-1, with a dot for each control character,
 * what it is, and what to do. First match.
 */
const OTHER_FORMATS: readonly [start: RegExp, what: string, advice: string][] = [
  [/^.{4}ftyp(?:mif1|msf1).{4}.{0,40}avi[fs]/s, 'AVIF', EXPORT],
  [/^.{4}ftyp(hei|hev|mif1|msf1)/s, 'HEIC', EXPORT],
  [/^.{4}ftypavi/s, 'AVIF', EXPORT],
  [/^(?:.{4}ftypcrx|FUJIFILMCCD-RAW|IIU\.|IIR[OS]|MMOR|FOVb|\.MRM)/s, RAW, EXPORT],
  [/^(?:.{4}(?:ftyp|wide|mdat|moov)|\.Eß£|RIFF.{4}AVI )/s, 'a video', 'send a still of it'],
  [/^GIF8[79]a/, 'GIF', EXPORT],
  [/^BM.{4}\.{4}/s, 'BMP', EXPORT],
  [/^(II[*+]\.|MM\.[*+])/, RAW, EXPORT],
  [/^(ÿ\n|\.{4}JXL )/, 'JPEG XL', EXPORT],
  [/^(?:\.{4}jP {2}|ÿOÿQ)/, 'JPEG 2000', EXPORT],
  [/^(?:%!PS|ÅÐÓÆ)/, 'EPS', EXPORT],
  [
    /^(?:P[1-7]\s|v\/1\.|#\?RAD|DDS \||gimp xcf|icns|×ÍÆ|.{128}DICM)/s,
    'a format of few programs',
    EXPORT,
  ],
  [/^8BPS/, 'a Photoshop file', EXPORT],
  [/^%PDF/, 'PDF', EXPORT],
  [/^PK\.\./, 'a ZIP archive', 'send the images in it'],
  [/^(?:Rar!|7z¼¯)/, 'a RAR or 7z archive', 'send the images in it'],
  [
    /^\.\.\.\.\.\.\.\.Mac OS X/,
    'what macOS notes of a file',
    'send the file whose name begins without "._"',
  ],
  [/^(?:ï»¿)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:!doctype )?svg/i, 'SVG', EXPORT],
  [
    /^(ï»¿)?\s*<(!doctype|html|head|body|\?xml|!--)/i,
    'an HTML or XML page',
    'an error or a login page, perhaps, in the place of the file; send the image itself',
  ],
  [/^\s*data:/i, 'a data URL as text', AS_IT_IS],
  [
    /^\s*(\/9j\/|iVBORw0KGgo|UklGR)/,
    'base64 text',
    'decode it, or send JSON with image_base64 and return_base64=true',
  ],
  [/^(ï¿½ï¿½|ï¿½PNG|Ã¿Ã\.|Â\.PNG)/, 'an image that was read as text and is destroyed', AS_IT_IS],
  [/^\s*https?:\/\//i, 'a web address', 'send it as imageUrl to /intake/v1/jobs'],
  [/^\s*[{[]\s*["{[\]}]/, 'JSON', AS_IT_IS],
  [
    /^\.PNG[\r\n]/,
    'an image whose line ends were changed',
    'send it by FTP in binary mode, not as text',
  ],
  [/^.+(?:ÿØÿ[àáâîÛ]|\.PNG\r\n\.\n)/s, 'an image with something in front of it', AS_IT_IS],
];
const ICON = Buffer.from([0, 0, 1, 0]);
const GZIP = Buffer.from([0x1f, 0x8b]);
const CONTROL = /(?![\t\n\r])\p{Cc}/gu;
const TEXT = /^[\s!-~]+$/;

/** A file that is no JPEG, PNG or WebP: what it is, and what to do about it. */
interface OtherFormat {
  what: string;
  advice: string;
}

/** Names what the first bytes show; undefined for the accepted formats and for what is not known. */
export function nameOtherFormat(file: Uint8Array): OtherFormat | undefined {
  if (sniffFormat(file.subarray(0, SNIFF_BYTES))) return undefined;
  const head = Buffer.from(file.buffer, file.byteOffset, Math.min(file.length, HEAD_BYTES));
  if (head.subarray(0, 2).equals(GZIP)) {
    return { what: 'compressed by gzip', advice: 'send it uncompressed' };
  }
  if (head.subarray(0, 4).equals(ICON)) {
    return { what: 'an icon', advice: EXPORT };
  }
  const start = head.toString('latin1');
  const shown = start.replaceAll(CONTROL, '.');
  const [, what, advice] = OTHER_FORMATS.find(([pattern]) => pattern.test(shown)) ?? [];
  if (what !== undefined && advice !== undefined) return { what, advice };
  return TEXT.test(start) ? { what: 'text', advice: AS_IT_IS } : undefined;
}
