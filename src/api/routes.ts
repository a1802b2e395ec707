import type { Registry } from 'prom-client';
import { readJsonImage } from '../http/image-body.ts';
import type { Route } from '../http/route.ts';
import { sniffFormat } from '../image/sniff.ts';
import { batchRoutes } from './batches/routes.ts';
import { type BatchParts, createBatchWork } from './batches/work.ts';
import { removalRoutes } from './bg.ts';
import { removeBgRoutes } from './compat/removebg.ts';
import { type ConsoleParts, consoleRoutes } from './console.ts';
import type { DownloadParts } from './feeds/downloads.ts';
import { feedRoutes } from './feeds/routes.ts';
import type { FeedParts } from './feeds/work.ts';
import { fileRoutes } from './files.ts';
import { type Checks, healthRoutes } from './health.ts';
import { createImageWork, type ImageWorkParts } from './image-work.ts';
import { intakeRoutes } from './intake.ts';
import { webhookRoutes } from './intake-webhooks.ts';
import { createIntake, type IntakeParts } from './intake-work.ts';
import { lookRoutes } from './look.ts';
import { problemRoutes } from './problem-pages.ts';
import { taxonomyRoutes } from './taxonomy.ts';

export interface ApiParts {
  /** `kid:secret,kid2:secret2`: the first signs targets, all verify them. */
  signingKeys: string;
  images: ImageWorkParts;
  intake: IntakeParts;
  batches: BatchParts;
  feeds: FeedParts & DownloadParts;
  console: ConsoleParts;
  /** Ceiling of an image's bytes, before base64. */
  maxImageBytes: number;
  checks: Checks;
  metrics: Registry;
}

/** The whole endpoint table. */
export function routeTable(parts: ApiParts): Route[] {
  const { images, intake, batches, feeds, maxImageBytes, signingKeys, checks, metrics } = parts;
  const work = createImageWork(images);
  const jobs = createIntake(intake);
  const readImage = (body: unknown) => readJsonImage(body, maxImageBytes, sniffFormat).image;
  return [
    ...removalRoutes({ work, intake: jobs, maxWaitMillis: images.deadlineMillis }),
    ...intakeRoutes(jobs, intake.idempotency),
    ...batchRoutes(createBatchWork(batches), intake.idempotency),
    ...feedRoutes(feeds),
    ...webhookRoutes(intake.webhooks, intake.idempotency),
    ...fileRoutes(intake),
    ...removeBgRoutes({ work, readImage }),
    ...taxonomyRoutes({ work, readImage }),
    ...lookRoutes({ signingKeys }),
    ...consoleRoutes(parts.console),
    ...healthRoutes(checks, metrics),
    ...problemRoutes(),
  ];
}
