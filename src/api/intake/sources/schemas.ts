import { z } from 'zod';
import { SOURCE_STATUSES } from '../../../intake/sources/source-state.ts';
import { CutOutOptions } from '../../../output/options.ts';
import { JobOptions } from '../job-request.ts';
import { PageLinks } from '../page.ts';

export const SourceRequest = z
  .strictObject({
    options: JobOptions.optional(),
    paused: z.boolean().default(false).meta({ description: 'Whether no more objects are taken' }),
  })
  .meta({ id: 'SourceRequest' });
export type SourceRequest = z.infer<typeof SourceRequest>;

const PlaceView = z
  .object({
    kind: z.enum(['s3', 'folder']),
    bucket: z.string().optional(),
    prefix: z.string().optional(),
  })
  .meta({ id: 'SourcePlace', description: 'A folder is known to the operator only' });

const count = (description: string) => z.number().int().meta({ description });

export const SourceResponse = z
  .object({
    id: z.string(),
    from: PlaceView,
    to: PlaceView,
    everySeconds: z.number().meta({ description: 'How often all objects are listed' }),
    status: z.enum(SOURCE_STATUSES).meta({
      description:
        '`off` until you PUT it; `waiting` for quota or a live key; `unreachable`: a place cannot be used now, and is tried again; `working`: objects are processed; `watching`: all are done',
    }),
    counts: z.object({
      found: count('Versions of objects that were taken'),
      pending: count('Those that are processed now, or wait for it'),
      succeeded: count('Those with a result'),
      failed: count('Those that could not be processed'),
      rejected: count(
        'Those that were not read: empty, too large, or with a name no result can have',
      ),
    }),
    listedAt: z.iso
      .datetime()
      .optional()
      .meta({ description: 'When all objects had been listed last' }),
    problem: z
      .object({ type: z.string(), detail: z.string(), since: z.iso.datetime() })
      .optional()
      .meta({ description: 'Why no more objects are processed now' }),
    retryAt: z.iso.datetime().optional().meta({ description: 'When a place is tried again' }),
    failures: z
      .object({
        waiting: count('Objects that are tried again, each after a pause of its own'),
        givenUp: count('Those that are not, until they change or you POST …/scan'),
        unlisted: count('Folders whose objects cannot be listed, 100 at most'),
      })
      .meta({
        description: 'Objects that fail by themselves; `links.failures` names them with reasons',
      }),
    options: CutOutOptions.optional(),
    changedAt: z.iso.datetime().optional().meta({ description: 'When you PUT it last' }),
    subscription: z
      .object({ topicArn: z.string(), token: z.string(), receivedAt: z.iso.datetime() })
      .optional()
      .meta({ description: 'The last handshake of SNS, for `selvage sources confirm`' }),
    links: z.object({
      self: z.string(),
      events: z.string(),
      scan: z.string(),
      failures: z.string(),
    }),
  })
  .meta({ id: 'Source' });
export type SourceResponse = z.infer<typeof SourceResponse>;

export const SourceList = z.object({ sources: z.array(SourceResponse) }).meta({ id: 'SourceList' });

export const FailuresQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  after: z.string().max(1000).default('').meta({ description: 'The last name of the page before' }),
});
export type FailuresQuery = z.infer<typeof FailuresQuery>;

const SourceFailure = z
  .object({
    name: z.string().meta({ description: 'Below the prefix or folder' }),
    reason: z.string(),
    attempts: z.number().int(),
    since: z.iso.datetime(),
    lastAt: z.iso.datetime(),
    retryAt: z.iso
      .datetime()
      .optional()
      .meta({ description: 'When it is tried again; absent once it is given up' }),
  })
  .meta({ id: 'SourceFailure', description: 'An object that fails while others do not' });

export const SourceFailures = z
  .object({
    failures: z.array(SourceFailure).meta({ description: 'By name' }),
    unlisted: z
      .array(z.object({ name: z.string(), reason: z.string() }))
      .meta({ description: 'Folders that the last listing could not read' }),
    links: PageLinks,
  })
  .meta({ id: 'SourceFailures' });
export type SourceFailures = z.infer<typeof SourceFailures>;

export const SourceEvent = z.looseObject({}).meta({
  id: 'SourceEvent',
  description:
    'A notification of S3 or MinIO, an event of EventBridge, or messages of SQS or SNS that carry them',
});

export const EventReceipt = z
  .object({
    objects: count('Objects that the event names'),
    ignored: count('Those outside the source'),
  })
  .meta({ id: 'SourceEventReceipt' });
