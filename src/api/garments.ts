import { createHash } from 'node:crypto';
import { zipSync } from 'fflate';
import { z } from 'zod';
import { insufficientScope } from '../http/access.ts';
import type { ImageForm } from '../http/image-body.ts';
import { parseJson } from '../http/json-body.ts';
import { parse } from '../http/parse.ts';
import { type Call, filePart, json, type Reply, type Route, route } from '../http/route.ts';
import type { Idempotency } from '../intake/idempotency.ts';
import { DEFAULT_QUALITY } from '../output/option-table.ts';
import { optionFields, withoutBlanks } from '../output/request.ts';
import { fieldProblem, Problem } from '../platform/problem.ts';
import { describeOutfit } from '../taxonomy/outfit/describe-outfit.ts';
import { OutfitDescription } from '../taxonomy/outfit/outfit-schema.ts';
import { ClassifyOptions, DEFAULT_SETTINGS } from '../taxonomy/request-schema.ts';
import { chargedOnce, contentOf } from './intake/idempotent.ts';
import { languageHeaders, languageOf } from './language.ts';
import { type ImageRequests, requireImage } from './removal/image-requests.ts';

type GarmentImages = Pick<ImageRequests, 'shedIfBusy' | 'separateGarments'>;

interface GarmentsDeps {
  images: GarmentImages;
  idempotency: Idempotency;
}

const PATH = '/taxonomy/v1/garments';

/** The scope of cut-outs, wherever they come from. */
const CUT_OUT_SCOPE = 'background-removal:process';

/** Minimum shorter side of a photo, pixels. */
const MIN_SIDE_PIXELS = 32;

const toBoolean = (value: unknown): unknown =>
  value === 'true' || value === 'false' ? value === 'true' : value;

const toOptions = (value: unknown): unknown =>
  typeof value === 'string' ? parseJson(value, 'options') : value;

const fields = {
  cutouts: z.preprocess(toBoolean, z.boolean().default(false)).meta({
    description: '`true`: a ZIP archive with the cut-out of each garment beside `garments.json`',
  }),
  quality: optionFields.quality.default(DEFAULT_QUALITY),
  options: z.preprocess(toOptions, ClassifyOptions.optional()).meta({
    description: 'As for classifications; JSON in a form',
  }),
};

const Fields = z.preprocess(withoutBlanks, z.strictObject(fields));

const MultipartRequest = z.object({ image: filePart('JPEG, PNG or WebP'), ...fields }).partial({
  cutouts: true,
  quality: true,
});
const JsonRequest = z
  .object({
    image_base64: z.string().meta({ description: 'Base64, or data:image/<type>;base64,<data>' }),
    ...fields,
  })
  .partial({ cutouts: true, quality: true })
  .meta({ id: 'GarmentsRequest' });

const GarmentsResponse = OutfitDescription.extend({ requestId: z.string() }).meta({
  id: 'GarmentsResponse',
});

/** @throws Problem unprocessable-image */
export function checkSides(
  { width, height }: { width: number; height: number },
  pointer: string,
): void {
  if (Math.min(width, height) >= MIN_SIDE_PIXELS) return;
  throw fieldProblem(
    'unprocessable-image',
    pointer,
    `must have at least ${MIN_SIDE_PIXELS} pixels a side`,
    `The image is ${width} × ${height} pixels; each side must be at least ${MIN_SIDE_PIXELS}`,
  );
}

/** A fixed time, which makes archives reproducible; PNGs are compressed already. */
const ZIP = { level: 0, mtime: new Date(1980, 0, 1) } as const;

/** Returns the archive of the garments: their description first, then one PNG for each. */
function zipGarments(
  response: z.infer<typeof GarmentsResponse>,
  files: readonly Uint8Array[],
  headers: Readonly<Record<string, string>>,
): Reply {
  const entries = response.garments.flatMap(({ cutout, index }) => {
    const file = files[index];
    return cutout?.file && file ? [[cutout.file, file] as const] : [];
  });
  const description = Buffer.from(`${JSON.stringify(response, undefined, 2)}\n`);
  const archive = zipSync({ 'garments.json': description, ...Object.fromEntries(entries) }, ZIP);
  return {
    headers: {
      ...headers,
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="garments.zip"',
    },
    body: archive,
  };
}

const handleGarments =
  ({ images, idempotency }: GarmentsDeps) =>
  async (sent: Call): Promise<Reply> => {
    images.shedIfBusy(sent);
    const form = await sent.imageForm({ jsonParts: ['options'] });
    const content = () => contentOf([form.image], [PATH, form.fields]);
    return chargedOnce(idempotency, sent, content, (call) => separate(images, form, call));
  };

async function separate(images: GarmentImages, form: ImageForm, call: Call): Promise<Reply> {
  const { cutouts, quality, options } = parse(Fields, form.fields, 'request');
  const image = requireImage(form);
  if (cutouts && !call.caller.scopes.includes(CUT_OUT_SCOPE)) {
    throw insufficientScope(CUT_OUT_SCOPE);
  }
  const pointer = form.pointers.image;
  const { result, files } = await images.separateGarments(
    { image, pointer },
    { cutouts, quality },
    call,
  );
  checkSides(result, pointer);
  const language = languageOf(options?.locale, call);
  const description = describeOutfit(result, {
    settings: { ...DEFAULT_SETTINGS, ...options, locale: language.locale },
    id: call.requestId,
    ...(cutouts && {
      cutOutOf(index: number) {
        const file = files[index];
        const group = result.garments[index]?.group;
        if (!file || !group) throw new Problem('upstream-failed', 'A cut-out is missing');
        const sha256 = createHash('sha256').update(file).digest('hex');
        return { file: `${index}-${group}.png`, bytes: file.length, sha256 };
      },
    }),
  });
  const response = { requestId: call.requestId, ...description };
  const headers = { 'cache-control': 'no-store', ...languageHeaders(language) };
  return cutouts ? zipGarments(response, files, headers) : json(response, headers);
}

export const garmentsRoute = (deps: GarmentsDeps): Route =>
  route('separateGarments', `POST ${PATH}`, {
    scope: 'taxonomy:classify',
    imageForm: { 'multipart/form-data': MultipartRequest, 'application/json': JsonRequest },
    quota: 1,
    responses: {
      200: {
        name: 'Separated',
        description: 'The garments, the largest first; none if there is no subject',
        content: { 'application/json': GarmentsResponse, 'application/zip': 'binary' },
        headers: ['Content-Language', 'Content-Disposition', 'Idempotency-Replayed'],
      },
    },
    handle: handleGarments(deps),
  });
