import { jsonOr } from '../platform/json.ts';
import { toAsciiJson } from '../storage/blobs.ts';
import { JobRecord, type NewJob } from './job-records.ts';
import { expiryOf } from './job-retention.ts';

/** The metadata of an input blob from which its job can be restored if Redis lost its data. */
const JobManifest = JobRecord.pick({
  client: true,
  requestId: true,
  operations: true,
  options: true,
  createdAt: true,
  inputSeconds: true,
  outputSeconds: true,
  recordSeconds: true,
  backgroundKey: true,
  quota: true,
  weight: true,
  webhook: true,
  classification: true,
});

/** A blob has 1.5 KiB of metadata; the rest is left for other names. */
const MAX_CHARS = 1400;

/**
 * Returns a job's manifest, at most 1,400 characters. What does not fit is left out: first what a
 * classification takes into account, then the webhook.
 */
export function writeJobManifest(job: NewJob): string {
  const { webhook, classification, options, ...rest } = JobManifest.parse(job);
  // A background's address has no bounded length, and is stored in a blob of its own.
  const manifest = { ...rest, options: options && { ...options, backgroundImageUrl: undefined } };
  const candidates = [
    { ...manifest, webhook, classification },
    { ...manifest, webhook },
  ];
  const fitting = candidates.map(toAsciiJson).find((text) => text.length <= MAX_CHARS);
  return fitting ?? toAsciiJson(manifest);
}

/** Returns the job of a manifest, or nothing if the text is not one. */
export function readJobManifest(text: string, id: string, inputKey: string): NewJob | undefined {
  const parsed = JobManifest.safeParse(jsonOr(text));
  if (!parsed.success) return undefined;
  const { expiresAt } = expiryOf(parsed.data, Date.parse(parsed.data.createdAt));
  return { id, inputKey, ...parsed.data, expiresAt };
}
