const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

/** What the first bytes of each accepted format look like: which bytes stand where. */
const SIGNATURES = [
  { format: 'jpeg', parts: [{ at: 0, bytes: [0xff, 0xd8, 0xff] }] },
  { format: 'png', parts: [{ at: 0, bytes: [0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a] }] },
  {
    format: 'webp',
    parts: [
      { at: 0, bytes: ascii('RIFF') },
      { at: 8, bytes: ascii('WEBP') },
    ],
  },
] as const;

/** The formats taken in. */
export type ImageFormat = (typeof SIGNATURES)[number]['format'];

/** How many bytes are enough to know the format. */
export const SNIFF_BYTES = 12;

/** The format that the first bytes announce; undefined for anything else, however it is labelled. */
export const sniffFormat = (image: Uint8Array): ImageFormat | undefined =>
  SIGNATURES.find(({ parts }) =>
    parts.every(({ at, bytes }) => bytes.every((byte, i) => image[at + i] === byte)),
  )?.format;
