const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

/** Signatures of the accepted formats: bytes at offsets. */
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

/** The accepted image formats. */
type ImageFormat = (typeof SIGNATURES)[number]['format'];

/** Bytes needed to tell the format. */
export const SNIFF_BYTES = 12;

/** Returns the format that the first bytes show, whatever the label says; undefined for any other. */
export const sniffFormat = (image: Uint8Array): ImageFormat | undefined =>
  SIGNATURES.find(({ parts }) =>
    parts.every(({ at, bytes }) => bytes.every((byte, i) => image[at + i] === byte)),
  )?.format;
