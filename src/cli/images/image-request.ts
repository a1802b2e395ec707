import { readFile } from 'node:fs/promises';
import { FORMATS } from '../../output/options.ts';
import type { Quality } from '../../output/quality.ts';
import { OutputRequest } from '../../output/request.ts';
import { usageError } from '../terminal/exit.ts';
import type { ImageOptions } from './image-options.ts';

/** Which option stands for a field of the contract. */
const FLAGS: Readonly<Record<string, string>> = {
  backgroundColor: '--background',
  backgroundImageUrl: '--background-image',
  backgroundImage: '--background-image',
  channels: '--mask',
  cropMargin: '--crop-margin',
  maxOutputMegapixels: '--max-megapixels',
  shadowOpacityPct: '--shadow',
};

async function readBackground(place: string): Promise<object> {
  if (/^https?:\/\//.test(place)) return { backgroundImageUrl: place };
  const bytes = await readFile(place).catch(() => {
    throw usageError(`--background-image: there is no file ${place}`);
  });
  return { backgroundImage: new Uint8Array(bytes) };
}

/** Everything that is given, under the contract's names. */
async function wishOf(options: ImageOptions): Promise<object> {
  const { format, background, crop, cropMargin, scale, position, roi, mask, shadow } = options;
  return {
    format,
    crop,
    cropMargin,
    scale,
    position,
    roi,
    backgroundColor: background,
    channels: mask && 'alpha',
    shadow: shadow && 'drop',
    shadowOpacityPct: shadow === true ? undefined : shadow,
    maxOutputMegapixels: options.maxMegapixels,
    ...(options.backgroundImage && (await readBackground(options.backgroundImage))),
  };
}

/** What is wished for beyond the usual, under the contract's names. */
export type ImageWish = { [Field in keyof OutputRequest]?: NonNullable<OutputRequest[Field]> } & {
  quality?: Quality;
};

const isGiven = ([, value]: [string, unknown]): boolean => value !== undefined;

/** How cut-outs are to be made and look, checked as the server checks it. @throws CliError that names each option */
export async function readImageOptions(options: ImageOptions): Promise<ImageWish> {
  const parsed = OutputRequest.safeParse(await wishOf(options));
  if (parsed.success) {
    return Object.fromEntries(
      Object.entries({ ...parsed.data, quality: options.quality }).filter(isGiven),
    );
  }
  const faults = parsed.error.issues.map(({ path, message }) => {
    const field = String(path[0]);
    return `${FLAGS[field] ?? `--${field}`} ${message}`;
  });
  throw usageError(faults.join('\n'));
}

/** The ending of files in this format, without a dot. */
export const extensionOf = ({ format = 'png' }: { format?: keyof typeof FORMATS | undefined }) =>
  FORMATS[format].extension;
