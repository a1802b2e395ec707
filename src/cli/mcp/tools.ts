import { realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { z } from 'zod';
import type {
  ClassifyRequest,
  Client,
  CutOutOptions,
  ImageResponse,
  OutfitsRequest,
} from '../../../packages/client/src/client.ts';
import { sniffFormat } from '../../imaging/image-header.ts';
import { FORMATS } from '../../output/formats.ts';
import { QUALITIES } from '../../output/option-table.ts';
import { readPicture } from '../images/photos.ts';
import { saveBytes } from '../terminal/files.ts';
import { CliError, usageError } from '../terminal/output.ts';

/** The one folder whose photos a program may read, and where it may write cut-outs. */
export class WorkingFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  /** Reads a photo. @throws CliError if it is outside, not there or no picture */
  async read(path: string): Promise<Uint8Array> {
    const [root, file] = await Promise.all([
      realpath(this.#folder),
      realpath(join(this.#folder, path)).catch(() => {
        throw new CliError(`There is no file ${path} in ${this.#folder}`);
      }),
    ]);
    if (!file.startsWith(root.endsWith(sep) ? root : root + sep))
      throw new CliError(`${path} is outside ${this.#folder}`);
    const picture = await readPicture(file);
    if (sniffFormat(picture)) return picture;
    throw new CliError(`${path} is no JPEG, PNG, WebP or AVIF`);
  }

  /** Writes a new file, and returns its path. @throws CliError if it exists or is outside */
  async write(path: string, image: Uint8Array): Promise<string> {
    const file = join(this.#folder, path);
    await saveBytes(file, image, { folder: this.#folder, force: false });
    return file;
  }
}

/** What a tool works with. */
export interface ToolContext {
  client: Client;
  /** None over HTTP: the files of the server are not those of its callers. */
  folder: WorkingFolder | undefined;
  signal: AbortSignal;
}

type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

interface ToolResult {
  [extra: string]: unknown;
  content: Content[];
  structuredContent?: Record<string, unknown>;
}

/** A tool as models see it. */
interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

const defineTool = <Input extends z.ZodObject>(tool: {
  name: string;
  title: string;
  description: string;
  input: Input;
  run(input: z.infer<Input>, context: ToolContext): Promise<ToolResult>;
}): Tool => ({ ...tool, run: (input, context) => tool.run(tool.input.parse(input), context) });

/** One of them says which photo. */
const PHOTO = {
  path: z.string().optional().describe('A photo in the working folder: JPEG, PNG, WebP or AVIF'),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('A photo that the service fetches'),
  base64: z.base64().optional().describe('The bytes of a photo'),
};
type PhotoInput = { path?: string | undefined; base64?: string | undefined };

async function readPhoto({ path, base64 }: PhotoInput, { folder }: ToolContext) {
  if (base64 !== undefined) return new Uint8Array(Buffer.from(base64, 'base64'));
  if (path === undefined) return undefined;
  if (!folder) throw usageError('This server reads no files: pass url or base64');
  return folder.read(path);
}

/** Models pay for every pixel of an image that they get: a larger one goes to a file. */
const SHOWN_MEGAPIXELS = 1;

/** Has the service fetch a photo and cut it out. */
async function cutOutUrl(
  imageUrl: string,
  options: CutOutOptions,
  { client: { jobs }, signal }: ToolContext,
): Promise<ImageResponse> {
  const { id } = await jobs.create({ imageUrl, options }, { signal });
  await jobs.wait(id, { signal });
  const result = await jobs.result(id, { signal });
  const { results } = await jobs.get(id, { signal });
  return { ...result, review: result.review ?? results?.cutout?.review };
}

const removeBackground = defineTool({
  name: 'remove_background',
  title: 'Remove the background of a photo',
  description:
    'Cuts the garment or subject out of a photo. With "output" the cut-out is written to a file in full size; without it the image itself is returned, scaled down. The result says whether a person should look at it, and why.',
  input: z.object({
    ...PHOTO,
    output: z.string().optional().describe('A new file in the working folder, such as shirt.png'),
    format: z.enum(Object.keys(FORMATS) as [keyof typeof FORMATS]).optional(),
    quality: z.enum(QUALITIES).optional(),
    backgroundColor: z.string().optional().describe('white, #rrggbb, …; transparent by default'),
    crop: z.boolean().optional().describe('Crop to the subject'),
    shadow: z.enum(['none', 'drop', 'keep']).optional().describe('Soft, or that of the photo'),
    preset: z.string().optional().describe('Named options on the server'),
  }),
  async run({ path, url, base64, output, ...given }, context) {
    const options: CutOutOptions = {
      ...given,
      ...(output === undefined && { maxOutputMegapixels: SHOWN_MEGAPIXELS }),
    };
    const photo = await readPhoto({ path, base64 }, context);
    if ((photo === undefined) === (url === undefined))
      throw usageError('Pass one of path, url and base64');
    const { client, folder, signal } = context;
    const {
      image,
      requestId: _,
      ...about
    } = url
      ? await cutOutUrl(url, options, context)
      : await client.removeBackground(photo ?? new Uint8Array(), { ...options, signal });
    if (output === undefined) {
      const data = Buffer.from(image).toString('base64');
      const shown: Content = { type: 'image', data, mimeType: about.mediaType };
      return { content: [shown, { type: 'text', text: JSON.stringify(about) }] };
    }
    if (!folder) throw usageError('This server writes no files: leave out output');
    const file = await folder.write(output, image);
    return { content: [{ type: 'text', text: JSON.stringify({ file, ...about }) }] };
  },
});

/** Returns a response as text, and as a value for clients that read one. */
const valueResult = (response: object): ToolResult => {
  const { requestId: _, ...value } = { requestId: '', ...response };
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
};

const classifyGarment = defineTool({
  name: 'classify_garment',
  title: 'Say what a garment is',
  description:
    'Returns category, colours, materials, warmth (clo) and a wardrobe item, which suggest_outfits takes, from a photo, a title or attributes.',
  input: z.object({
    path: PHOTO.path,
    base64: PHOTO.base64,
    title: z.string().optional(),
    attributes: z.looseObject({}).optional().describe('Of the article, as in product feeds'),
    locale: z.string().optional().describe('Language of the labels: en, de, fr, es, it, nl'),
  }),
  async run({ title, attributes, locale, ...photo }, context) {
    const image = await readPhoto(photo, context);
    const isDescribed = title !== undefined || attributes !== undefined;
    const request = {
      ...(image && { image }),
      ...(isDescribed && { attributes: { ...attributes, ...(title !== undefined && { title }) } }),
      ...(locale && { options: { locale } }),
    } as ClassifyRequest;
    return valueResult(await context.client.classify(request, { signal: context.signal }));
  },
});

const suggestOutfits = defineTool({
  name: 'suggest_outfits',
  title: 'Suggest outfits for the weather',
  description:
    'Returns outfits from a wardrobe that are warm enough for the weather, best first, with reasons.',
  input: z.object({
    items: z
      .array(z.looseObject({ id: z.string(), category: z.string() }))
      .describe('The wardrobe, such as {"id": "down", "category": "down_jacket"}'),
    tempC: z.number().describe('Outdoor air temperature, °C'),
    windMs: z.number().optional().describe('Wind, m/s'),
    humidityPct: z.number().optional(),
    condition: z.string().optional().describe('clear, cloudy, rain, snow, fog, …'),
    met: z.number().default(1.6).describe('Activity: 1 sitting, 1.6 strolling, 3 brisk walking'),
    plan: z.enum(['indoor', 'outdoor']).optional(),
    occasion: z.string().optional().describe('Such as everyday, work, party'),
    locale: z.string().optional(),
    limit: z.number().int().default(3),
  }),
  async run({ tempC, windMs = 2, humidityPct = 60, condition = 'clear', ...rest }, context) {
    const weather = { tempC, windMs, humidityPct, condition };
    // The service validates the rest, and says all that is wrong.
    const request = { ...rest, weather } as unknown as OutfitsRequest;
    return valueResult(await context.client.look.outfits(request, { signal: context.signal }));
  },
});

/** What models can do; the scopes of the key apply. */
export const TOOLS: readonly Tool[] = [removeBackground, classifyGarment, suggestOutfits];
