import { z } from 'zod';
import type { Gateway } from '../../gateway.ts';
import type { Form } from '../../http/form.ts';
import { parse } from '../../http/parse.ts';
import { type Call, filePart, type Reply, type Route, route } from '../../http/route.ts';
import {
  checkConflicts,
  fieldsAt,
  optionFields,
  toCutOutOptions,
  withoutBlanks,
} from '../../output/request.ts';
import { checkStrokes, Strokes } from '../../output/strokes.ts';
import { resolveRules } from '../intake/accept-options.ts';
import { chargedOnce, contentOf } from '../intake/idempotent.ts';
import { CUT_OUT_MEDIA, checkedFile, rulesHeader, serverTiming } from './cut-out-response.ts';
import type { ImageRequests, RefinementRequest } from './image-requests.ts';
import { checkFiles, readAlphaSize, readStrokes, requireFile } from './refinement-form.ts';

const PATH = '/bg/v1/refinements';

/** Options that say nothing about a cut-out whose alpha is there already; the part `alpha` is a file here. */
const { alpha: _, preset: __, ...sendable } = optionFields;
const here = fieldsAt('refinements');
const NOT_HERE = (Object.keys(sendable) as (keyof typeof sendable)[]).filter(
  (name) => !(name in here),
);

const RefinementFields = z.preprocess(
  withoutBlanks,
  z
    .strictObject(sendable)
    .superRefine(checkConflicts)
    .superRefine((fields, context) => {
      for (const field of NOT_HERE) {
        if (fields[field] === undefined) continue;
        const message = 'does not apply to refinements; leave it out';
        context.addIssue({ code: 'custom', path: [field], message });
      }
    }),
);

/** @throws Problem if the form has files or fields that are not known */
function readRequest(form: Form): RefinementRequest & { photo: { image: Uint8Array } } {
  checkFiles(form);
  const { image: _image, alpha: _alpha, strokes: _strokes, ...fields } = form.fields;
  const options = toCutOutOptions(parse(RefinementFields, fields, 'request'));
  const image = requireFile(form, 'image');
  const alpha = requireFile(form, 'alpha');
  const strokes = readStrokes(form);
  checkStrokes(strokes, readAlphaSize(alpha, image));
  return { photo: { image }, alpha, strokes, options };
}

const MultipartRequest = z
  .object({
    image: filePart('JPEG, PNG or WebP'),
    alpha: filePart('PNG of the size of the upright image; its last channel counts'),
    strokes: Strokes,
  })
  .extend(here)
  .meta({ additionalProperties: undefined });

export const refinementRoutes = (
  { rulePacks, idempotency }: Pick<Gateway, 'rulePacks' | 'idempotency'>,
  images: ImageRequests,
): Route[] => [
  route('refineCutout', `POST ${PATH}`, {
    scope: 'background-removal:process',
    form: { 'multipart/form-data': MultipartRequest },
    quota: 1,
    responses: {
      200: {
        description: 'The mended cut-out',
        content: CUT_OUT_MEDIA,
        headers: ['X-Cutout-Rules', 'Server-Timing', 'Idempotency-Replayed'],
      },
    },
    async handle(call: Call): Promise<Reply> {
      images.shedIfBusy(call);
      const sent = readRequest(await call.form());
      const { client } = call;
      const options = await resolveRules(rulePacks, client, sent.options, '/rules');
      const request = { ...sent, options };
      const { photo, alpha, ...rest } = sent;
      const content = () => contentOf([photo.image, alpha], [PATH, rest]);
      return chargedOnce(idempotency, call, content, async (charged) => {
        const { file, result } = await images.refineCutOut(request, charged);
        const headers = {
          'content-type': result.mediaType,
          'cache-control': 'no-store',
          'server-timing': serverTiming(result.millis),
          ...(result.rules && { 'x-cutout-rules': rulesHeader(result.rules) }),
        };
        return { headers, body: checkedFile({ file, ...result }) };
      });
    },
  }),
];
