import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { z } from 'zod';
import type { ClassifyRequest, ClassifyResponse } from '../../../packages/client/src/client.ts';
import { jsonOr } from '../../platform/json.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { readJsonFile } from '../terminal/files.ts';
import { type Output, print, usageError } from '../terminal/output.ts';

interface ClassifyOptions extends ServerOptions, Output {
  title?: string;
  attributes?: string;
  locale?: string;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

function readAttributes(text: string): object {
  const { data } = z.looseObject({}).safeParse(jsonOr(text));
  if (data) return data;
  throw usageError(`--attributes must be a JSON object such as '{"material": "wool"}'`);
}

/** Returns what the options say of the article, if anything. */
async function readFeedAttributes({ title, attributes }: ClassifyOptions) {
  if (title === undefined && attributes === undefined) return undefined;
  const fields = attributes?.startsWith('@')
    ? await readJsonFile(attributes.slice(1), z.looseObject({}))
    : readAttributes(attributes ?? '{}');
  return { ...fields, ...(title !== undefined && { title }) };
}

async function readRequest(
  photo: string | undefined,
  options: ClassifyOptions,
): Promise<ClassifyRequest> {
  const attributes = await readFeedAttributes(options);
  if (photo === undefined && !attributes) throw usageError('Pass a photo, --title or --attributes');
  const image = photo === undefined ? undefined : await readFile(photo);
  return {
    ...(image && { image }),
    ...(attributes && { attributes }),
    ...(options.locale && { options: { locale: options.locale } }),
  } as ClassifyRequest;
}

/** Categories that are less likely are not worth a line. */
const MIN_ALTERNATIVE = 0.02;

/** Formats name and value, one a line; unknown values are left out. */
function formatResponse(response: ClassifyResponse): string {
  const { status, category, topK, attributes, insulation, review } = response;
  const { colors, materials } = attributes;
  const garment =
    category && `${category.label} (${percent(category.confidence)}, ${category.source})`;
  const others = topK.slice(1, 4).filter(({ confidence }) => confidence >= MIN_ALTERNATIVE);
  const part = (share: number | null | undefined) => share && percent(share);
  const joined = (words: readonly unknown[]) => words.filter(Boolean).join(' ');
  const rows: [string, string | undefined | null | false][] = [
    ['garment', garment ?? status],
    ['or', others.map(({ label, confidence }) => `${label} ${percent(confidence)}`).join(', ')],
    ['colours', colors.map((one) => joined([one.family, one.hex, part(one.share)])).join(', ')],
    ['materials', materials.map(({ id, share }) => joined([id, part(share)])).join(', ')],
    ['warmth', insulation && `${insulation.clo} clo (${insulation.min} to ${insulation.max})`],
    ['review', review.needed && review.reasons.join(', ')],
  ];
  return rows
    .filter(([, value]) => value)
    .map(([name, value]) => `${name.padEnd(9)}  ${value}`)
    .join('\n');
}

/** `classify photo.jpg` */
export const classifyCommand = (signal: AbortSignal): Command =>
  new Command('classify')
    .description('classify a garment by photo, by text, or both')
    .argument('[photo]', 'JPEG, PNG or WebP')
    .option('--title <text>', 'title of the article')
    .option('--attributes <json>', 'attributes of the article as JSON, or @file.json')
    .option('--locale <language>', 'language of the labels: en de fr es it nl')
    .addHelpText(
      'after',
      '\nExamples:\n  $ selvage classify photo.jpg\n' +
        '  $ selvage classify photo.jpg --title "Damen Strickpullover" --locale de\n' +
        '  $ selvage classify --attributes \'{"title": "Rain jacket", "material": "nylon"}\' --json',
    )
    .action(async (photo: string | undefined, options: ClassifyOptions) => {
      const request = await readRequest(photo, options);
      const response = await connect(options).classify(request, { signal });
      print(options, response, formatResponse(response));
    });
