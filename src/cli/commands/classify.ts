import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { z } from 'zod';
import type { ClassifyInput, ClassifyResponse } from '../../client/client.ts';
import { connect } from '../connection/connect.ts';
import type { PlaceOptions } from '../connection/server-profile.ts';
import { usageError } from '../terminal/exit.ts';
import { readJsonFile } from '../terminal/json-file.ts';
import { type Output, print } from '../terminal/output.ts';

interface ClassifyOptions extends PlaceOptions, Output {
  title?: string;
  attributes?: string;
  locale?: string;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function readAttributes(text: string): object {
  try {
    return z.looseObject({}).parse(JSON.parse(text));
  } catch {
    throw usageError(`--attributes is no JSON object such as '{"material": "wool"}'`);
  }
}

/** What is told of the article in words, or nothing. */
async function attributesOf({ title, attributes }: ClassifyOptions): Promise<object | undefined> {
  if (title === undefined && attributes === undefined) return undefined;
  const told = attributes?.startsWith('@')
    ? await readJsonFile(attributes.slice(1), z.looseObject({}))
    : readAttributes(attributes ?? '{}');
  return { ...told, ...(title !== undefined && { title }) };
}

async function inputOf(
  photo: string | undefined,
  options: ClassifyOptions,
): Promise<ClassifyInput> {
  const attributes = await attributesOf(options);
  if (photo === undefined && !attributes) throw usageError('Name a photo, --title or --attributes');
  const image = photo === undefined ? undefined : await readFile(photo);
  return {
    ...(image && { image }),
    ...(attributes && { attributes }),
    ...(options.locale && { options: { locale: options.locale } }),
  } as ClassifyInput;
}

/** Name and value, a line each; what is not known is left out. */
function textOf(answer: ClassifyResponse): string {
  const { status, category, topK, attributes, insulation, review } = answer;
  const { colors, materials } = attributes;
  const rows: [string, string | undefined | null | false][] = [
    [
      'garment',
      category ? `${category.label} (${percent(category.confidence)}, ${category.source})` : status,
    ],
    [
      'or',
      topK
        .slice(1, 4)
        .map(({ label, confidence }) => `${label} ${percent(confidence)}`)
        .join(', '),
    ],
    [
      'colours',
      colors
        .map(({ family, hex, share }) =>
          [family, hex, share && percent(share)].filter(Boolean).join(' '),
        )
        .join(', '),
    ],
    [
      'materials',
      materials
        .map(({ id, share }) => [id, share && percent(share)].filter(Boolean).join(' '))
        .join(', '),
    ],
    ['warmth', insulation && `${insulation.clo} clo (${insulation.min} to ${insulation.max})`],
    ['look at', review.needed && review.reasons.join(', ')],
  ];
  return rows
    .filter(([, value]) => value)
    .map(([name, value]) => `${name.padEnd(9)}  ${value}`)
    .join('\n');
}

/** `classify photo.jpg` */
export const classifyCommand = (signal: AbortSignal): Command =>
  new Command('classify')
    .description('name a garment by its photo, by words, or both')
    .argument('[photo]', 'JPEG, PNG or WebP')
    .option('--title <text>', 'what a feed calls it')
    .option('--attributes <json>', 'all that a feed says of it, or @file.json')
    .option('--locale <language>', 'of the names: en de fr es it nl')
    .addHelpText(
      'after',
      '\nExamples:\n  $ selvage classify photo.jpg\n' +
        '  $ selvage classify photo.jpg --title "Damen Strickpullover" --locale de\n' +
        '  $ selvage classify --attributes \'{"title": "Rain jacket", "material": "nylon"}\' --json',
    )
    .action(async (photo: string | undefined, options: ClassifyOptions) => {
      const input = await inputOf(photo, options);
      const answer = await connect(options).classify(input, { signal });
      print(options, answer, textOf(answer));
    });
