import { z } from 'zod';
import { parse } from '../../../http/parse.ts';
import { type Call, filePart, type Reply, type Route, route } from '../../../http/route.ts';
import { FORMAT_ALIASES, FORMATS, type Format } from '../../../output/formats.ts';
import { extensionOf } from '../../../output/options.ts';
import { optionFields, toCutOutOptions } from '../../../output/request.ts';
import { Problem } from '../../../platform/problem.ts';
import { CUT_OUT_HEADERS, CUT_OUT_MEDIA } from '../cut-out-response.ts';
import type { ImageRequests, Source } from '../image-requests.ts';
import { DetailResponse, fileReply, integer, toDetailReply } from './fastapi.ts';

/** The formats of withoutBG; any other text selects PNG there. */
const isFormat = (text: string): text is Format => Object.hasOwn(FORMATS, text);
const formatNamed = (text: string): Format | undefined =>
  isFormat(text) ? text : FORMAT_ALIASES[text];

const Fields = z
  .object({
    image_url: optionFields.backgroundImageUrl.or(z.literal('')).meta({
      description: 'The image, if there is no `file`; public addresses only',
    }),
    format: z.string().optional().meta({ description: '`png`, `jpg` or `webp`' }),
    quality: integer(1, 100).meta({ description: 'Checked, without effect' }),
  })
  .meta({ id: 'WithoutBgRequest' });
type Fields = z.infer<typeof Fields>;

/** A file takes precedence. @throws Problem invalid-request */
function sourceOf(file: Uint8Array | undefined, { image_url: imageUrl }: Fields): Source {
  if (file?.length) return { image: file, pointer: '/file' };
  if (imageUrl) return { imageUrl };
  throw new Problem('invalid-request', 'Provide either a file or an image URL.');
}

type Images = Pick<ImageRequests, 'cutOut' | 'shedIfBusy'>;

const removeBackground =
  (images: Images) =>
  async (call: Call): Promise<Reply> => {
    images.shedIfBusy(call);
    const form = await call.form();
    const fields = parse(Fields, form.fields, 'request');
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
      'multipart/form-data': Fields.and(z.object({ file: filePart('The image').optional() })),
      'application/x-www-form-urlencoded': Fields,
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
