/** What a format of a cut-out is called, and what it can hold. */
interface FormatRow {
  mediaType: `image/${string}`;
  /** Of file names, without the dot; requests may call the format so, too. */
  extension: string;
  /** Without, transparent pixels are drawn on white. */
  hasAlpha: boolean;
  maxSidePixels: number;
  /** How every file begins: bytes at offsets. */
  signature: readonly { at: number; bytes: readonly number[] }[];
}

const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

/** The formats of a cut-out, the default first. A new one is a row here and an encoder in the workers. */
// biome-ignore format: a table reads best aligned
export const FORMATS = {
  png: {
    mediaType: 'image/png', extension: 'png', hasAlpha: true,
    maxSidePixels: 2 ** 31 - 1, signature: [{ at: 0, bytes: [0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a] }],
  },
  jpeg: {
    mediaType: 'image/jpeg', extension: 'jpg', hasAlpha: false,
    maxSidePixels: 65_535, signature: [{ at: 0, bytes: [0xff, 0xd8, 0xff] }],
  },
  webp: {
    mediaType: 'image/webp', extension: 'webp', hasAlpha: true,
    maxSidePixels: 16_383, signature: [{ at: 0, bytes: ascii('RIFF') }, { at: 8, bytes: ascii('WEBP') }],
  },
} as const satisfies Record<string, FormatRow>;

export type Format = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as [Format, ...Format[]];
export const IMAGE_TYPES = Object.values(FORMATS).map(({ mediaType }) => mediaType) as [
  (typeof FORMATS)[Format]['mediaType'],
];

/** Other names of formats, in requests and on the command line. */
export const FORMAT_ALIASES: Readonly<Record<string, Format>> = Object.fromEntries(
  FORMAT_NAMES.map((name) => [FORMATS[name].extension, name] as const).filter(
    ([extension, name]) => extension !== name,
  ),
);

/** Whether a file begins as those of a media type do. */
export const hasSignature = (file: Uint8Array, mediaType: string): boolean =>
  Object.values(FORMATS).some(
    (format) =>
      format.mediaType === mediaType &&
      format.signature.every(({ at, bytes }) => bytes.every((byte, i) => file[at + i] === byte)),
  );

const MAX_NAME_CHARS = 200;

const EXTENSION = new RegExp(
  `\\.(${[...FORMAT_NAMES, ...Object.keys(FORMAT_ALIASES)].join('|')})$`,
  'i',
);

/** Returns a file name without folders for a row: `sku/1.jpg` becomes `sku_1`. A `customId` is no path. */
export const fileNameOf = (customId: string): string =>
  customId
    .replace(EXTENSION, '')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^\.+/, '_')
    .slice(0, MAX_NAME_CHARS);
