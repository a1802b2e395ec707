import { expect, test } from 'vitest';
import { SNIFF_BYTES, sniffFormat } from '../../src/imaging/sniff.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

test.each([
  { what: 'JPEG with JFIF', hex: 'ffd8ff e0 0010 4a464946 0001', format: 'jpeg' },
  { what: 'JPEG with EXIF', hex: 'ffd8ff e1 1234 45786966 0000', format: 'jpeg' },
  { what: 'PNG', hex: '89504e470d0a1a0a 0000000d', format: 'png' },
  { what: 'WebP', hex: '52494646 24000000 57454250', format: 'webp' },
  { what: 'another RIFF: WAVE', hex: '52494646 24000000 57415645', format: undefined },
  { what: 'PNG with mangled line endings', hex: '89504e470a1a0a00 00000d49', format: undefined },
  { what: 'GIF', hex: '474946383961 0100 0100 8000', format: undefined },
  { what: 'AVIF', hex: '0000001c 66747970 61766966', format: undefined },
  { what: 'SVG', hex: '3c737667 20786d6c 6e733d22', format: undefined },
  { what: 'half a JPEG signature', hex: 'ffd8', format: undefined },
  { what: 'nothing', hex: '', format: undefined },
])('$what is $format', ({ hex, format }) => {
  expect(sniffFormat(bytes(hex))).toBe(format);
  expect(sniffFormat(bytes(hex).subarray(0, SNIFF_BYTES))).toBe(format);
});
