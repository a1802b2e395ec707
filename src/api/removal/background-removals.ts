import { z } from 'zod';
import type { Gateway } from '../../gateway.ts';
import type { ImageForm } from '../../http/image-body.ts';
import { parse, queryFlag } from '../../http/parse.ts';
import { type Preference, readPrefer } from '../../http/request-head.ts';
import { type Call, filePart, json, type Reply, type Route, route } from '../../http/route.ts';
import {
  BackgroundImage,
  checkConflicts,
  optionFields,
  toCutOutOptions,
  withoutBlanks,
} from '../../output/request.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { applyPreset, resolveRules } from '../intake/accept-options.ts';
import { chargedOnce, contentOf } from '../intake/idempotent.ts';
import {
  BackgroundFile,
  BackgroundText,
  JobOptions,
  OUTPUT_SECONDS,
} from '../intake/job-request.ts';
import { JobResponse } from '../intake/job-response.ts';
import { grantedPreference, type PreferJob, startPreferredJob } from '../intake/prefer-job.ts';
import { readAll } from '../verified-blob.ts';
import {
  CUT_OUT_HEADERS,
  CUT_OUT_MEDIA,
  type CutOutFile,
  type CutOutQuality,
  checkedFile,
  qualityHeaders,
  serverTiming,
} from './cut-out-response.ts';
import {
  backgroundSource,
  type CutOutRequest,
  type ImageRequests,
  requireImage,
} from './image-requests.ts';

const Query = z.object({
  return_base64: queryFlag
    .optional()
    .meta({ description: '`true` selects base64: JSON in, JSON out, as `removeBackgroundAsJson`' }),
});
type Query = z.infer<typeof Query>;

const Fields = z.preprocess(
  withoutBlanks,
  z.strictObject({ ...optionFields, backgroundImage: BackgroundImage }).superRefine(checkConflicts),
);

function cutOutReply(
  cutOut: CutOutFile & CutOutQuality,
  asBase64: boolean,
  extraHeaders: Record<string, string>,
): Reply {
  const file = checkedFile(cutOut);
  const headers = { ...qualityHeaders(cutOut), 'cache-control': 'no-store', ...extraHeaders };
  return asBase64
    ? json({ image_base64: file.toString('base64') }, headers)
    : { headers: { ...headers, 'content-type': cutOut.mediaType }, body: file };
}

interface Removals extends PreferJob, Pick<Gateway, 'presets' | 'rulePacks' | 'idempotency'> {
  images: ImageRequests;
}

const PATH = '/bg/v1/background-removals';

const removeAsync = (
  removals: Removals,
  request: CutOutRequest,
  call: Call<Query>,
  prefer: Preference,
): Promise<Reply> =>
  startPreferredJob(
    removals,
    { ...request, operations: ['remove-background'], outputSeconds: OUTPUT_SECONDS.default },
    call,
    { path: PATH, prefer },
    async (job, headers) => {
      await call.awaitMemory(job.results?.cutout?.bytes ?? 0, call.signal);
      const { body, cutout } = await removals.jobs.result(job, call.signal);
      const file = await readAll(body);
      return cutOutReply({ file, ...cutout }, call.query.return_base64 ?? false, headers);
    },
  );

/** @throws Problem invalid-request with all errors */
async function readRequest(
  image: Uint8Array,
  form: ImageForm,
  presets: Gateway['presets'],
  call: Call<Query>,
): Promise<CutOutRequest> {
  const { fields, backgroundImage, pointers } = form;
  const sent = { ...fields, ...(backgroundImage && { backgroundImage }) };
  const parsed = parse(Fields, sent, 'request');
  const merged = await applyPreset(presets, call.client, parsed, '/preset');
  const options = toCutOutOptions(merged.options);
  return {
    source: { image, pointer: pointers.image },
    options,
    background: backgroundSource(options, backgroundImage, pointers.backgroundImage),
  };
}

function checkBase64(call: Call<Query>): void {
  if (!call.query.return_base64 || call.caller.allowBase64) return;
  const detail = 'Request the binary response: multipart without return_base64';
  throw new Problem('base64-not-allowed', detail);
}

function checkMode({ via }: ImageForm, asBase64: boolean): void {
  if (via !== 'json' || asBase64) return;
  const detail = 'JSON bodies need the query ?return_base64=true';
  throw fieldProblem('invalid-request', '?return_base64', 'must be true in JSON mode', detail);
}

const handleRemoval =
  (removals: Removals) =>
  async (call: Call<Query>): Promise<Reply> => {
    const asBase64 = call.query.return_base64 ?? false;
    checkBase64(call);
    const asked = readPrefer(call.headers.prefer);
    const prefer = asked && (await grantedPreference(removals, asked, call));
    if (!prefer) removals.images.shedIfBusy(call);
    const form = await call.imageForm({ background: true });
    checkMode(form, asBase64);
    const image = requireImage(form);
    const { presets, rulePacks } = removals;
    const sent = await readRequest(image, form, presets, call);
    const options = await resolveRules(rulePacks, call.client, sent.options, '/rules');
    const request = { ...sent, options };
    if (prefer) return removeAsync(removals, request, call, prefer);
    const content = () => contentOf([image, form.backgroundImage], [PATH, call.query, options]);
    return chargedOnce(removals.idempotency, call, content, async (charged) => {
      const { file, result } = await removals.images.cutOut(request, charged);
      const timing = { 'server-timing': serverTiming(result.millis) };
      return cutOutReply({ file, ...result }, asBase64, timing);
    });
  };

const Base64Request = z
  .object({
    image_base64: z.string().meta({ description: 'Base64, or data:image/<type>;base64,<data>' }),
    backgroundImageBase64: BackgroundText.optional(),
  })
  .and(JobOptions)
  .meta({ id: 'BackgroundRemovalRequest' });
const Base64Response = z
  .object({
    image_base64: z.string().meta({ description: 'The file as base64' }),
  })
  .meta({ id: 'BackgroundRemoval' });
const MultipartRequest = z
  .object({ image: filePart('JPEG, PNG or WebP'), backgroundImage: BackgroundFile.optional() })
  .and(JobOptions);

export const removalRoutes = (removals: Removals): Route[] => [
  route('removeBackground', `POST ${PATH}`, {
    scope: 'background-removal:process',
    query: Query,
    imageForm: { 'multipart/form-data': MultipartRequest, 'application/json': Base64Request },
    jsonQuery: 'return_base64=true',
    quota: 1,
    responses: {
      200: {
        description:
          'The cut-out without metadata: an RGBA PNG of the size of the upright input, unless the fields request another output',
        content: { ...CUT_OUT_MEDIA, 'application/json': Base64Response },
        headers: [
          ...CUT_OUT_HEADERS,
          'Server-Timing',
          'Preference-Applied',
          'Idempotency-Replayed',
        ],
      },
      202: {
        description: 'A job, as requested by `Prefer`',
        content: { 'application/json': JobResponse },
        headers: ['Location', 'Retry-After', 'Preference-Applied'],
      },
    },
    handle: handleRemoval(removals),
  }),
];
