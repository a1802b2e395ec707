import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { validateImage } from '../../src/intake/validate-image.ts';
import { Problem } from '../../src/platform/problem.ts';
import { drawnShirt } from '../support/images.ts';

const LIMITS = { maxPixels: 50_000_000, maxSidePixels: 16_384 };

const outcome = (bytes: Uint8Array): string => {
  try {
    const { format, width, height } = validateImage(bytes, LIMITS);
    return `${format} ${width}x${height}`;
  } catch (error) {
    if (error instanceof Problem) return error.type;
    throw error;
  }
};

describe('an image is validated by its header', () => {
  test.each(['jpeg', 'png', 'webp'] as const)('as %s', async (format) => {
    expect(outcome(await drawnShirt({ width: 64, height: 32, format }))).toBe(`${format} 64x32`);
  });

  test.each([
    ['progressive JPEG', { progressive: true }],
    ['JPEG with restart markers and big tables', { optimizeCoding: false, quality: 100 }],
  ])('as %s', async (_, options) => {
    const shirt = await drawnShirt({ width: 64, height: 32, format: 'png' });
    expect(outcome(await sharp(shirt).jpeg(options).toBuffer())).toBe('jpeg 64x32');
  });

  test('as lossless and transparent WebP', async () => {
    const canvas = sharp({
      create: { width: 50, height: 20, channels: 4, background: '#ff000080' },
    });
    expect(outcome(await canvas.clone().webp({ lossless: true }).toBuffer())).toBe('webp 50x20');
    expect(outcome(await canvas.clone().webp().toBuffer())).toBe('webp 50x20');
  });
});

/** Headers that claim 65,500 x 65,500 pixels. */
const BOMBS: Readonly<Record<string, string>> = {
  png: '89504e470d0a1a0a0000000d494844520000ffdc0000ffdc0806000000',
  jpeg: 'ffd8ffe000104a46494600010100000100010000ffc0001108ffdcffdc03012200021101031101',
  webp: '524946465c00000057454250565038580a00000000000000dbff00dbff00',
};

describe('a decompression bomb is rejected without decoding', () => {
  test.each(Object.entries(BOMBS))('as %s', (_, hex) => {
    const bomb = Buffer.alloc(100);
    bomb.write(hex, 'hex');
    expect(outcome(bomb)).toBe('payload-too-large');
  });
});

// biome-ignore format: a list reads best in lines
test.each([
  ...['GIF89a', 'BM6\0\0\0', 'MM\0*\0\0\0\x08', '8BPS\0\x01\0\0', 'v/1\x01', 'SIMPLE  =                    T'],
  ...['\0\0\0\x0cJXL \r\n\x87\n', '\0\0\0\x0cjP  \r\n\x87\n', 'RIFF\0\0\0\0WAVE', '2 2\n1 2\n3 4\n', 'push graphic-context\nurl(|id)'],
])('what another program reads is none: %j', (head) => {
  expect(outcome(Buffer.from(head.padEnd(64, '\0'), 'latin1'))).toBe('unsupported-media-type');
});

test('a header that cannot be read is an error that says so', () => {
  const damaged = Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.alloc(19 * 1024 * 1024)]);
  expect(() => validateImage(damaged, LIMITS)).toThrow(
    'The image is damaged: its header cannot be read',
  );
});

test('any bytes after the first ones give a problem or a size', async () => {
  const shirt = await drawnShirt({ width: 64, height: 32, format: 'jpeg' });
  for (let length = 0; length < shirt.length; length += 7) {
    expect(outcome(shirt.subarray(0, length))).toMatch(
      /^(jpeg 64x32|invalid-request|unsupported-media-type)$/,
    );
  }
  for (const head of Object.values(BOMBS)) {
    for (let seed = 0; seed < 200; seed++) {
      const noise = Buffer.from(
        Array.from({ length: 80 }, (_, i) => (seed * 97 + i * i * 31) & 255),
      );
      const bytes = Buffer.concat([Buffer.from(head, 'hex').subarray(0, 12 + (seed % 12)), noise]);
      expect(outcome(bytes)).toMatch(
        /^(\w+ \d+x\d+|invalid-request|payload-too-large|unsupported-media-type)$/,
      );
    }
  }
});
