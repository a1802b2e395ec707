import { z } from 'zod';
import { parse } from '../../http/parse.ts';
import { type Call, filePart, type Reply, type Route, route } from '../../http/route.ts';
import { FORMAT_ALIASES, FORMATS, type Format } from '../../output/formats.ts';
import type { Quality } from '../../output/option-table.ts';
import { type CutOutOptions, extensionOf } from '../../output/options.ts';
import { optionFields, parseColor, toCutOutOptions } from '../../output/request.ts';
import { fieldProblem, PROBLEMS, Problem, type ValidationIssue } from '../../platform/problem.ts';
import type { JobResult } from '../../queue/catalog.ts';
import { CUT_OUT_HEADERS, CUT_OUT_MEDIA, checkedFile, qualityHeaders } from './cut-out-response.ts';
import type { ImageRequests, Source } from './image-requests.ts';
import rembgModels from './rembg-models.json' with { type: 'json' };

/*
 * Removals as rembg and withoutBG offer them: both are written with FastAPI, which reads fields and reports errors alike.
 */

const FLAGS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['true', '1', 'on', 'yes', 't', 'y'].map((text) => [text, true])),
  ...Object.fromEntries(['false', '0', 'off', 'no', 'f', 'n', ''].map((text) => [text, false])),
};

/** A boolean in a form or a query. Empty text counts as not sent. */
const flag = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .refine((text) => Object.hasOwn(FLAGS, text), 'must be true or false')
  .transform((text) => FLAGS[text])
  .optional();

/** An integer in a form or a query. Empty text counts as not sent. */
const integer = (min: number, max: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{0,9}$/, 'must be an integer')
    .refine((text) => text === '' || (Number(text) >= min && Number(text) <= max), {
      error: `must be from ${min} to ${max}`,
    })
    .optional();

const DetailResponse = z
  .object({
    detail: z.union([
      z.string(),
      z.array(z.object({ type: z.string(), loc: z.array(z.string()), msg: z.string() })),
    ]),
  })
  .meta({ id: 'DetailResponse' });

/** Where a client finds the field of an error: `?name` is a query parameter, `/name` a form field. */
const locationOf = (pointer: string): string[] => [
  pointer.startsWith('?') ? 'query' : 'body',
  pointer.slice(1),
];

const toDetail = ({ pointer, detail }: ValidationIssue, urlPointer: string) => ({
  type: 'value_error',
  loc: locationOf(pointer === '/imageUrl' ? urlPointer : pointer),
  msg: detail,
});

/**
 * Returns FastAPI's response for a problem. A malformed request is 422 there.
 * @param urlPointer the field with the image's URL, which workers do not know by its name
 */
const toDetailReply =
  (urlPointer: string) =>
  ({ type, detail, errors, headers }: Problem): Reply => ({
    status: type === 'invalid-request' ? 422 : PROBLEMS[type].status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    body: { detail: errors ? errors.map((issue) => toDetail(issue, urlPointer)) : detail },
  });

/** @throws Problem upstream-failed */
function fileReply(
  { file, result }: { file: Uint8Array; result: JobResult<'remove-background'> },
  extraHeaders: Readonly<Record<string, string>> = {},
): Reply {
  const body = checkedFile({ file, ...result });
  const headers = { ...qualityHeaders(result), 'cache-control': 'no-store', ...extraHeaders };
  return { headers: { ...headers, 'content-type': result.mediaType }, body };
}

const REMBG_PATH = '/compat/rembg/api/remove';

/** The models of rembg whose result this service can match, and the quality each stands for. */
const MODELS = rembgModels as Readonly<Record<string, Quality>>;

const COLOR = /^\s*\d{1,3}(?:\s*,\s*\d{1,3}){2,3}\s*$/;

/** Returns `r,g,b` or `r,g,b,a` as a CSS colour; undefined if it is malformed. */
function toColor(text: string): string | undefined {
  const parts = COLOR.test(text) ? text.split(',').map(Number) : [];
  if (parts.length === 0 || parts.some((part) => part > 255)) return undefined;
  return parseColor(`#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`);
}

const bgc = z
  .string()
  .refine(
    (text) => text === '' || toColor(text) !== undefined,
    'must be r,g,b,a, each from 0 to 255',
  )
  .optional()
  .meta({ description: 'Background: `r,g,b` or `r,g,b,a`, each 0 to 255' });

const UNUSED = { description: 'Checked, without effect' };

const FIELDS = {
  model: z
    .string()
    .refine((name) => name === '' || Object.hasOwn(MODELS, name), {
      error: `must be one of ${Object.keys(MODELS).join(', ')}`,
    })
    .optional()
    .meta({ description: 'A model of rembg; `u2netp` and `silueta` stand for `quality` `fast`' }),
  a: flag.meta({ description: 'Alpha matting: `quality` `high`' }),
  af: integer(0, 255).meta(UNUSED),
  ab: integer(0, 255).meta(UNUSED),
  ae: integer(0, 999_999_999).meta(UNUSED),
  om: flag.meta({ description: 'Only the mask' }),
  ppm: flag.meta(UNUSED),
  bgc,
  extras: z.string().optional().meta(UNUSED),
};
const RembgFields = z.object(FIELDS).meta({ id: 'RembgRequest' });
type RembgFields = z.infer<typeof RembgFields>;
const Query = z.object({ bgc });
const UrlQuery = z.object({ url: optionFields.backgroundImageUrl.unwrap(), ...FIELDS });

/** A mask has no colours: rembg ignores a background then, too. */
function toOptions({ model, a, om, bgc: background }: RembgFields): CutOutOptions {
  const quality = a ? 'high' : MODELS[model || 'u2net'];
  return toCutOutOptions({
    quality,
    ...(om ? { channels: 'alpha' } : background && { backgroundColor: toColor(background) }),
  });
}

type Images = Pick<ImageRequests, 'cutOut' | 'shedIfBusy'>;

async function cutOut(images: Images, source: Source, fields: RembgFields, call: Call) {
  return fileReply(await images.cutOut({ source, options: toOptions(fields) }, call));
}

const removeFromFile =
  (images: Images) =>
  async (call: Call<z.infer<typeof Query>>): Promise<Reply> => {
    images.shedIfBusy(call);
    const { fields, files } = await call.form();
    const parsed = parse(RembgFields, { ...call.query, ...fields }, 'request');
    if (files.file) return cutOut(images, { image: files.file, pointer: '/file' }, parsed, call);
    throw fieldProblem('invalid-request', '/file', 'is missing', 'Send the image as file');
  };

const REMBG = {
  scope: 'background-removal:process',
  problemReply: toDetailReply('?url'),
  problemSchema: DetailResponse,
  quota: 1,
  responses: {
    200: {
      description: 'The cut-out, or its mask',
      content: { 'image/png': 'binary' },
      headers: CUT_OUT_HEADERS,
    },
  },
} as const;

export const rembgRoutes = (images: Images): Route[] => [
  route('removeBackgroundLikeRembg', `POST ${REMBG_PATH}`, {
    ...REMBG,
    query: Query,
    form: { 'multipart/form-data': RembgFields.and(z.object({ file: filePart('The image') })) },
    handle: removeFromFile(images),
  }),
  route('removeBackgroundOfUrlLikeRembg', `GET ${REMBG_PATH}`, {
    ...REMBG,
    query: UrlQuery,
    handle: (call) => {
      images.shedIfBusy(call);
      return cutOut(images, { imageUrl: call.query.url }, call.query, call);
    },
  }),
];

/** The formats of withoutBG; any other text selects PNG there. */
const isFormat = (text: string): text is Format => Object.hasOwn(FORMATS, text);
const formatNamed = (text: string): Format | undefined =>
  isFormat(text) ? text : FORMAT_ALIASES[text];

const WithoutBgFields = z
  .object({
    image_url: optionFields.backgroundImageUrl.or(z.literal('')).meta({
      description: 'The image, if there is no `file`; public addresses only',
    }),
    format: z.string().optional().meta({ description: '`png`, `jpg` or `webp`' }),
    quality: integer(1, 100).meta({ description: 'Checked, without effect' }),
  })
  .meta({ id: 'WithoutBgRequest' });
type WithoutBgFields = z.infer<typeof WithoutBgFields>;

/** A file takes precedence. @throws Problem invalid-request */
function sourceOf(file: Uint8Array | undefined, { image_url: imageUrl }: WithoutBgFields): Source {
  if (file?.length) return { image: file, pointer: '/file' };
  if (imageUrl) return { imageUrl };
  throw new Problem('invalid-request', 'Provide either a file or an image URL.');
}

const removeBackground =
  (images: Images) =>
  async (call: Call): Promise<Reply> => {
    images.shedIfBusy(call);
    const form = await call.form();
    const fields = parse(WithoutBgFields, form.fields, 'request');
    const options = toCutOutOptions({ format: formatNamed((fields.format ?? '').toLowerCase()) });
    const source = sourceOf(form.files.file, fields);
    const cutOut = await images.cutOut({ source, options }, call);
    const name = `withoutbg.${extensionOf(cutOut.result.mediaType)}`;
    return fileReply(cutOut, { 'content-disposition': `inline; filename=${name}` });
  };

export const withoutBgRoutes = (images: Images): Route[] => [
  route('removeBackgroundLikeWithoutBg', 'POST /compat/withoutbg/api/remove-background', {
    scope: 'background-removal:process',
    problemReply: toDetailReply('/image_url'),
    problemSchema: DetailResponse,
    form: {
      'multipart/form-data': WithoutBgFields.and(
        z.object({ file: filePart('The image').optional() }),
      ),
      'application/x-www-form-urlencoded': WithoutBgFields,
    },
    quota: 1,
    responses: {
      200: {
        description: 'The cut-out; a JPEG has a white background',
        content: CUT_OUT_MEDIA,
        headers: [...CUT_OUT_HEADERS, 'Content-Disposition'],
      },
    },
    handle: removeBackground(images),
  }),
];
