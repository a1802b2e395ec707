import { z } from 'zod';
import { CutOutOptions } from '../output/quality.ts';
import { OPERATIONS } from '../queue/job-data.ts';
import type { NewJob } from './job-records.ts';
import { expiryOf } from './job-retention.ts';

/** What is said with an input so that its job can be told from the store alone. */
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
  webhook: z.object({ url: z.string() }).optional(),
  backgroundKey: z.string().optional(),
});

/** A store keeps 1.5 KiB of facts with a blob; the rest is room for other names. */
const MOST_CHARS = 1400;

/** JSON in printable ASCII, which is what a store keeps as it is. */
const asAscii = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A background's address is as long as its client likes, and stands in its own blob. */
function shortened(options: CutOutOptions | undefined): CutOutOptions | undefined {
  if (!options) return undefined;
  const { backgroundImageUrl: _, ...rest } = options;
  return rest;
}

/** A job's intent as a fact of its input. A webhook too long to be kept is left out. */
export function writeJobManifest(job: NewJob): string {
  const { client, requestId, operations, createdAt, quota, webhook, backgroundKey } = job;
  const { inputSeconds, outputSeconds, recordSeconds } = job;
  const options = shortened(job.options);
  const kept = { inputSeconds, outputSeconds, recordSeconds, backgroundKey };
  const intent = { client, requestId, operations, options, createdAt, ...kept, quota };
  const whole = asAscii({ ...intent, webhook });
  return whole.length <= MOST_CHARS ? whole : asAscii(intent);
}

/** The job an intent stands for; nothing where it is none of ours. */
export function readJobManifest(text: string, id: string, inputKey: string): NewJob | undefined {
  const parsed = JobManifest.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const { quota, webhook, options, backgroundKey, ...intent } = parsed.data;
  const { expiresAt } = expiryOf(intent, Date.parse(intent.createdAt));
  return {
    ...{ id, inputKey, ...intent, expiresAt },
    ...(options && { options }),
    ...(backgroundKey && { backgroundKey }),
    ...(quota && { quota }),
    ...(webhook && { webhook }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
