import { readFile } from 'node:fs/promises';
import { FORMATS } from '../../output/formats.ts';
import { mergePreset, OutputRequest, toCutOutOptions, withRulePack } from '../../output/request.ts';
import { BUILT_IN_PACKS } from '../../output/rules/pack.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { usageError } from '../terminal/exit.ts';
import { fieldsGiven, flagOf, type ImageOptions } from './image-options.ts';

async function readBackground(source: string): Promise<object> {
  if (/^https?:\/\//.test(source)) return { backgroundImageUrl: source };
  const bytes = await readFile(source).catch(() => {
    throw usageError(`--background-image: there is no file ${source}`);
  });
  return { backgroundImage: new Uint8Array(bytes) };
}

/** Returns the options under the names of the API. */
async function toFields(options: ImageOptions): Promise<object> {
  const { backgroundImageUrl: source, ...fields } = fieldsGiven(options);
  return { ...fields, ...(source !== undefined && (await readBackground(String(source)))) };
}

/** The options that differ from the defaults, under the names of the API. */
export type ImageRequest = {
  [Field in keyof OutputRequest]?: NonNullable<OutputRequest[Field]>;
};

const isDefined = ([, value]: [string, unknown]): boolean => value !== undefined;

/** Returns the format that --fix-rules would choose, so that output files have the right names. */
function fixedFormat(request: OutputRequest): OutputRequest['format'] {
  const pack = request.rules === undefined ? undefined : BUILT_IN_PACKS.get(request.rules);
  return request.fixRules && pack
    ? withRulePack(toCutOutOptions(request), pack).format
    : request.format;
}

/** Validates the options as the server does. @throws CliError that names each wrong option */
export async function readImageOptions(options: ImageOptions): Promise<ImageRequest> {
  const parsed = OutputRequest.safeParse(await toFields(options));
  if (parsed.success) {
    const format = fixedFormat(parsed.data) ?? parsed.data.format;
    return Object.fromEntries(Object.entries({ ...parsed.data, format }).filter(isDefined));
  }
  const details = parsed.error.issues.map(
    ({ path, message }) => `${flagOf(String(path[0]))} ${message}`,
  );
  throw usageError(details.join('\n'));
}

/** Returns the file extension of a format, without a dot. */
export const extensionOf = ({ format = 'png' }: { format?: keyof typeof FORMATS | undefined }) =>
  FORMATS[format].extension;

/**
 * Adds to a request the format of its preset on the server: output files are named by it.
 * @throws SelvageError if there is no such preset
 */
export async function withPresetFormat(
  request: ImageRequest,
  options: ServerOptions & { local?: true },
): Promise<ImageRequest> {
  const { preset } = request;
  if (preset === undefined || request.format !== undefined || options.local) return request;
  const stored = await connect(options).presets.get(preset);
  const format = fixedFormat(mergePreset(stored.options, request));
  return format === undefined ? request : { ...request, format };
}
