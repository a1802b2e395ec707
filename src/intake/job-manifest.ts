import { z } from 'zod';
import { CutOutOptions } from '../output/options.ts';
import { OPERATIONS } from '../queue/job-data.ts';
import { toAsciiJson } from '../storage/ascii-json.ts';
import type { NewJob } from './job-records.ts';
import { expiryOf } from './job-retention.ts';

/** The metadata of an input blob from which its job can be restored if Redis lost its data. */
const JobManifest = z.object({
  client: z.string(),
  requestId: z.string(),
  operations: z.array(z.enum(OPERATIONS)),
  options: CutOutOptions.optional(),
  createdAt: z.iso.datetime(),
  inputSeconds: z.number().optional(),
  outputSeconds: z.number(),
  recordSeconds: z.number().optional(),
  quota: z.object({ key: z.string(), cost: z.number() }).optional(),
  classification: z.record(z.string(), z.unknown()).optional(),
  webhook: z.object({ url: z.string() }).optional(),
  backgroundKey: z.string().optional(),
  weight: z.number().optional(),
});

/** A blob has 1.5 KiB of metadata; the rest is left for other names. */
const MAX_CHARS = 1400;

/** A background's address has no bounded length, and is stored in a blob of its own. */
function withoutBackgroundUrl(options: CutOutOptions | undefined): CutOutOptions | undefined {
  if (!options) return undefined;
  const { backgroundImageUrl: _, ...rest } = options;
  return rest;
}

/**
 * Returns a job's manifest, at most 1,400 characters. What does not fit is left out: first what a
 * classification takes into account, then the webhook.
 */
export function writeJobManifest(job: NewJob): string {
  const manifest = {
    client: job.client,
    requestId: job.requestId,
    operations: job.operations,
    options: withoutBackgroundUrl(job.options),
    createdAt: job.createdAt,
    inputSeconds: job.inputSeconds,
    outputSeconds: job.outputSeconds,
    recordSeconds: job.recordSeconds,
    backgroundKey: job.backgroundKey,
    quota: job.quota,
    weight: job.weight,
  };
  const { webhook, classification } = job;
  const candidates = [
    { ...manifest, webhook, classification },
    { ...manifest, webhook },
  ];
  const fitting = candidates.map(toAsciiJson).find((text) => text.length <= MAX_CHARS);
  return fitting ?? toAsciiJson(manifest);
}

/** Returns the job of a manifest, or nothing if the text is not one. */
export function readJobManifest(text: string, id: string, inputKey: string): NewJob | undefined {
  const parsed = JobManifest.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const { quota, webhook, classification, options, backgroundKey, ...manifest } = parsed.data;
  const { expiresAt } = expiryOf(manifest, Date.parse(manifest.createdAt));
  return {
    id,
    inputKey,
    ...manifest,
    expiresAt,
    ...(options && { options }),
    ...(backgroundKey && { backgroundKey }),
    ...(quota && { quota }),
    ...(webhook && { webhook }),
    ...(classification && { classification }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
