import { z } from 'zod';
import { parse } from '../../../http/parse.ts';
import { type Call, filePart, type Reply, type Route, route } from '../../../http/route.ts';
import type { Quality } from '../../../output/option-table.ts';
import type { CutOutOptions } from '../../../output/options.ts';
import { optionFields, parseColor, toCutOutOptions } from '../../../output/request.ts';
import { fieldProblem } from '../../../platform/problem.ts';
import { CUT_OUT_HEADERS } from '../cut-out-response.ts';
import type { ImageRequests, Source } from '../image-requests.ts';
import { DetailResponse, fileReply, flag, integer, toDetailReply } from './fastapi.ts';

const PATH = '/compat/rembg/api/remove';

/** The models of rembg whose result this service can match, and the quality each stands for. */
const MODELS: Readonly<Record<string, Quality>> = {
  u2net: 'balanced',
  u2netp: 'fast',
  u2net_human_seg: 'balanced',
  silueta: 'fast',
  'isnet-general-use': 'balanced',
  'isnet-anime': 'balanced',
  'birefnet-general': 'balanced',
  'birefnet-general-lite': 'balanced',
  'birefnet-portrait': 'balanced',
  'birefnet-dis': 'balanced',
  'birefnet-hrsod': 'balanced',
  'birefnet-cod': 'balanced',
  'birefnet-massive': 'balanced',
  'bria-rmbg': 'balanced',
  'ben2-base': 'balanced',
};

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
const Fields = z.object(FIELDS).meta({ id: 'RembgRequest' });
type Fields = z.infer<typeof Fields>;
const Query = z.object({ bgc });
const UrlQuery = z.object({ url: optionFields.backgroundImageUrl.unwrap(), ...FIELDS });

/** A mask has no colours: rembg ignores a background then, too. */
function toOptions({ model, a, om, bgc: background }: Fields): CutOutOptions {
  const quality = a ? 'high' : MODELS[model || 'u2net'];
  return toCutOutOptions({
    ...(quality && { quality }),
    ...(om ? { channels: 'alpha' } : background && { backgroundColor: toColor(background) }),
  });
}

type Images = Pick<ImageRequests, 'cutOut' | 'shedIfBusy'>;

async function cutOut(images: Images, source: Source, fields: Fields, call: Call) {
  return fileReply(await images.cutOut({ source, options: toOptions(fields) }, call));
}

const removeFromFile =
  (images: Images) =>
  async (call: Call<z.infer<typeof Query>>): Promise<Reply> => {
    images.shedIfBusy(call);
    const { fields, files } = await call.form();
    const parsed = parse(Fields, { ...call.query, ...fields }, 'request');
    if (files.file) return cutOut(images, { image: files.file, pointer: '/file' }, parsed, call);
    throw fieldProblem('invalid-request', '/file', 'is missing', 'Send the image as file');
  };

const commonSpec = {
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
  route('removeBackgroundLikeRembg', `POST ${PATH}`, {
    ...commonSpec,
    query: Query,
    form: { 'multipart/form-data': Fields.and(z.object({ file: filePart('The image') })) },
    handle: removeFromFile(images),
  }),
  route('removeBackgroundOfUrlLikeRembg', `GET ${PATH}`, {
    ...commonSpec,
    query: UrlQuery,
    handle: (call) => {
      images.shedIfBusy(call);
      return cutOut(images, { imageUrl: call.query.url }, call.query, call);
    },
  }),
];
