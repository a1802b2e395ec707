import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Command } from 'commander';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CUT_OUT_MEDIA } from '../../src/api/removal/cut-out-response.ts';
import { withImageOptions } from '../../src/cli/images/image-options.ts';
import { FORMAT_NAMES, FORMATS, hasSignature } from '../../src/output/formats.ts';
import { CutOutOptions, MediaType } from '../../src/output/options.ts';
import { OutputRequest, toCutOutOptions } from '../../src/output/request.ts';
import { RulePack } from '../../src/output/rules/pack.ts';
import { encode } from '../../workers/inference/compose.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Files that name a format because of what they read, or because other software calls it so. */
const READERS = [
  'src/imaging/image-header.ts',
  'src/intake/validate-image.ts',
  'workers/fetch/safe-fetch.ts',
  'workers/inference/files/',
  // Inputs of the console.
  'src/console/browser/',
];

/** Where a new format is written: its row, and its encoder. */
const WRITTEN_IN = ['src/output/formats.ts', 'workers/inference/compose.ts'];

/** Files that follow from the table, by a command. */
const GENERATED = ['packages/client/src/generated/'];

function* codeUnder(folder: string): Generator<string> {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && !/^(node_modules|dist)$/.test(entry.name)) yield* codeUnder(path);
    else if (/\.(ts|js|html)$/.test(entry.name)) yield path;
  }
}

const isOneOf = (path: string, known: readonly string[]) =>
  known.some((each) => path.startsWith(each));

test('a format is named where it is described and encoded, and nowhere else', () => {
  const naming = ['src', 'workers', 'packages']
    .flatMap((folder) => [...codeUnder(folder)])
    .filter((path) => !isOneOf(path, [...READERS, ...GENERATED]))
    .filter((path) =>
      /['"](image\/)?webp['"]|^ *webp:/m.test(readFileSync(join(ROOT, path), 'utf8')),
    )
    .map((path) => relative(ROOT, join(ROOT, path)));
  expect(naming).toEqual(WRITTEN_IN);
});

describe.each(FORMAT_NAMES)('%s', (format) => {
  const { mediaType, extension, maxSidePixels } = FORMATS[format];

  test('is taken by requests, under the extension too, and stored unless it is the default', () => {
    const stored = format === 'png' ? {} : { format };
    for (const word of [format, extension])
      expect(toCutOutOptions(OutputRequest.parse({ format: word }))).toEqual(stored);
    expect(CutOutOptions.parse(stored)).toEqual(stored);
    expect(MediaType.parse(mediaType)).toBe(mediaType);
  });

  test('is a choice of the command line', () => {
    const { options } = withImageOptions(new Command());
    const choices = options.find(({ long }) => long === '--format')?.argChoices;
    expect(choices).toEqual(expect.arrayContaining([format, extension]));
  });

  test('is in the document, and can be asked for by a rule pack', () => {
    expect(CUT_OUT_MEDIA).toHaveProperty([mediaType], 'binary');
    expect(
      JSON.stringify(z.toJSONSchema(OutputRequest, { io: 'input', unrepresentable: 'any' })),
    ).toContain(`"${format}"`);
    const pack = { title: 'Only it', rules: { 'file-type': [mediaType] } };
    expect(RulePack.parse(pack)).toEqual(pack);
  });

  test('is encoded to files that begin as its row says', async () => {
    const [width, height] = [8, 6];
    const image = {
      pixels: { data: new Uint8Array(width * height * 3).fill(90), width, height },
      matte: { data: new Uint8Array(width * height).fill(255), width, height },
    };
    for (const channels of [undefined, 'alpha'] as const) {
      const asked = { format, ...(channels && { channels }) };
      const options = toCutOutOptions(OutputRequest.parse(asked));
      const file = await encode(image, options);
      expect(hasSignature(file, mediaType)).toBe(true);
      expect(await sharp(file).metadata()).toMatchObject({ width, height });
    }
    expect(maxSidePixels).toBeGreaterThan(8000);
  });
});
