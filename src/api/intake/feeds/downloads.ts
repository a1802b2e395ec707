import { Readable } from 'node:stream';
import type { FilledColumn } from '../../../feed-formats/columns.ts';
import { exportFeed } from '../../../feed-formats/export.ts';
import type { FeedReadOptions } from '../../../feed-formats/open-feed.ts';
import { FEED_MEDIA_TYPES } from '../../../feed-formats/sniff.ts';
import type { Gateway } from '../../../gateway.ts';
import type { Call, Reply } from '../../../http/route.ts';
import { BATCH_TERMINAL_STATUSES, type BatchRecord } from '../../../intake/batches/batch-record.ts';
import { type RowOutcome, readRowOutcomes } from '../../../intake/batches/row-reader.ts';
import {
  feedGarmentsPrefix,
  feedKeys,
  readSourceMetadata,
  type SourceMetadata,
} from '../../../intake/feeds/feed-keys.ts';
import { type FeedRecord, toParseOptions } from '../../../intake/feeds/feeds.ts';
import { Problem } from '../../../platform/problem.ts';
import type { ImageEvidence } from '../../../taxonomy/classify.ts';
import { openBlob, resultsGone } from '../../common-problems.ts';
import { SANDBOX_HEADERS } from '../../send-blob.ts';
import { ClientLimit } from '../client-limit.ts';
import { RETRY_SOON } from '../job-response.ts';
import { requireReview } from '../review/actions.ts';
import { applyExportPolicy } from '../review/export-policy.ts';
import {
  asDecided,
  classifyProduct,
  columnValues,
  evidenceOf,
  type LearnedOf,
  readLearned,
} from './classify-product.ts';
import { acceptedFormat, writeReport } from './report.ts';
import type { ImageLine } from './report-lines.ts';
import { imagesInOrder, pictureKeyOf, pictureName, productLines } from './report-lines.ts';
import type { ExportQuery, ReportFormat } from './request.ts';
import { runResponse } from './response.ts';

/**
 * Rewrites the image links of a feed's document. Images that failed keep their original link.
 * @param filled columns filled from the classification of each product that has no value of its own
 */
async function* exportWithLinks(
  document: AsyncIterable<Uint8Array>,
  options: FeedReadOptions,
  outcomes: AsyncIterable<RowOutcome>,
  linkOf: (id: string, image: number, of: Pick<ImageLine, 'pictureKey'>) => string | undefined,
  { columns, learnedOf }: { columns: readonly FilledColumn[]; learnedOf: LearnedOf },
): AsyncGenerator<Uint8Array> {
  const images = imagesInOrder(outcomes);
  let evidence: ImageEvidence | undefined;
  let decided: string | undefined;
  try {
    yield* exportFeed(
      document,
      async ({ id }, image) => {
        const { result, category } = (await images.next(id, image)) ?? {};
        evidence = (image === 0 ? undefined : evidence) ?? evidenceOf(result);
        decided = (image === 0 ? undefined : decided) ?? category;
        return linkOf(id, image, { pictureKey: pictureKeyOf(result) });
      },
      options,
      {
        columns,
        async valuesOf(row) {
          const learned = decided === undefined ? learnedOf(row) : asDecided(decided);
          const classification = await classifyProduct(row, evidence, learned);
          return classification ? columnValues(classification) : {};
        },
      },
    );
  } finally {
    await images.close();
  }
}

/** File extensions, for feeds without a file name or with one that has no extension. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'jsonl',
};

/**
 * Returns the headers of an export: the original media type if it is one of a feed, so that
 * browsers treat the file as nothing else, and a safe file name.
 */
function exportHeaders(
  feedId: string,
  { mediaType = '', fileName = '' }: SourceMetadata,
): Record<string, string> {
  const essence = mediaType.split(';', 1)[0]!.trim().toLowerCase();
  const isFeed = FEED_MEDIA_TYPES.some((each) => each === essence) && !/zip/.test(essence);
  const plainName = fileName.replace(/\.(gz|zip)$/i, ''); // it was decompressed
  const safeName = plainName.replace(/[^A-Za-z0-9._-]+/g, '-').slice(-100);
  const known = Object.hasOwn(EXTENSIONS, essence) ? EXTENSIONS[essence] : undefined;
  const extension = known ?? (essence.includes('xml') ? 'xml' : 'txt');
  const name = /\w\.\w+$/.test(safeName) ? safeName : `${feedId}.${extension}`;
  return {
    'content-type': isFeed ? mediaType : 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'private, no-store',
    ...SANDBOX_HEADERS,
  };
}

async function* noLines(): AsyncGenerator<never> {}

/** Each parses a whole feed in this process. */
const MAX_DOWNLOADS_PER_CLIENT = 2;

interface FeedRun {
  feed: FeedRecord;
  run: BatchRecord;
}

const gone = () => resultsGone('run');

const notClassified = (): Problem =>
  new Problem(
    'invalid-request',
    'Columns are filled only in feeds that are classified: create the feed with the operation classify',
    { errors: [{ pointer: '?columns', detail: 'needs a feed with the operation classify' }] },
  );

/** Closes the generator and its source when the connection closes, even before it has started. */
const toStream = (bytes: AsyncGenerator<Uint8Array>, source: Readable | undefined): Readable =>
  Readable.from(bytes, { objectMode: false }).once('close', () => source?.destroy());

export class FeedDownloads {
  readonly #services;
  readonly #limit = new ClientLimit(
    MAX_DOWNLOADS_PER_CLIENT,
    `A client may download ${MAX_DOWNLOADS_PER_CLIENT} reports or exports of feeds at a time`,
  );

  constructor(
    services: Pick<Gateway, 'blobs' | 'batches' | 'reviews' | 'links' | 'learnedCategories'>,
  ) {
    this.#services = services;
  }

  /** Returns a function that links to pictures. Only the last completed run has any; older ones are deleted. */
  #createLinker({ feed, run }: FeedRun, { baseUrl }: Pick<Call, 'baseUrl'>) {
    if (feed.lastCompletedRunId !== run.id) return () => undefined;
    return (id: string, image: number, { pictureKey }: Pick<ImageLine, 'pictureKey'>) =>
      pictureKey &&
      baseUrl + this.#services.links.create(pictureKey, pictureName(id, image, pictureKey));
  }

  async #findDocument({ feed, run }: FeedRun, signal: AbortSignal) {
    const key = feedKeys(feed.client, feed.id).source(run.id);
    const head = await this.#services.blobs.head(key, signal);
    if (!head) return undefined;
    const metadata = readSourceMetadata(head);
    const options: FeedReadOptions = toParseOptions(run.reading ?? feed, metadata);
    return { key, metadata, options };
  }

  async #readLines(target: FeedRun, signal: AbortSignal) {
    const document = await this.#findDocument(target, signal);
    if (!document) return { lines: noLines() };
    const learnedOf = await readLearned(this.#services, target.feed.client);
    const source = await openBlob(this.#services.blobs, document.key, signal, gone);
    const notDoneReason = BATCH_TERMINAL_STATUSES.includes(target.run.status)
      ? 'The run ended before this image was processed'
      : 'This image is not processed yet';
    const { client, id } = target.feed;
    const all = readRowOutcomes(this.#services, target.run);
    const outcomes = applyExportPolicy(this.#services, target.run, 'all', all);
    const lines = productLines(source, document.options, outcomes, {
      notDoneReason,
      learnedOf,
      garmentsPrefix: (sha256) => feedGarmentsPrefix(client, id, sha256),
    });
    return { source, lines };
  }

  /** @throws Problem conflict while the feed is being read; gone, rate-limit-exceeded */
  async report(
    target: FeedRun,
    call: Pick<Call, 'baseUrl' | 'headers' | 'signal'>,
    format: ReportFormat = acceptedFormat(call.headers.accept),
  ): Promise<Reply> {
    const { feed, run } = target;
    if (run.status === 'open')
      throw new Problem('conflict', 'The feed is still being read', { headers: RETRY_SOON });
    return this.#limit.stream(feed.client, async () => {
      const { source, lines } = await this.#readLines(target, call.signal);
      const linkOf = this.#createLinker(target, call);
      const isClassified = run.operations.includes('classify');
      const isSeparated = run.operations.includes('separate');
      const isJudged = run.options?.rules !== undefined;
      const kinds = { isClassified, isSeparated, isJudged };
      const report = { run: runResponse(run), ...kinds, lines, linkOf };
      const { mediaType, body } = writeReport(format, report);
      const headers = {
        'content-type': mediaType,
        'cache-control': 'private, no-store',
        vary: 'Accept',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      };
      return { headers, body: toStream(body, source) };
    });
  }

  /**
   * @param query the columns to fill from the classification, and which pictures to link to
   * @throws Problem conflict if the run has not completed; gone, invalid-request, rate-limit-exceeded
   */
  async export(
    target: FeedRun,
    call: Pick<Call, 'baseUrl' | 'signal'>,
    { columns = [], export: sent }: Partial<ExportQuery> = {},
  ): Promise<Reply> {
    const { feed, run } = target;
    const policy = sent ?? run.exportPolicy ?? 'all';
    if (columns.length > 0 && !feed.operations.includes('classify')) throw notClassified();
    if (feed.lastCompletedRunId !== run.id) {
      if (run.dryRun) throw new Problem('conflict', 'A dry run makes no pictures; start a run');
      if (run.status === 'completed')
        throw new Problem('gone', 'A newer run has replaced this one; export the feed itself');
      const hasEnded = BATCH_TERMINAL_STATUSES.includes(run.status);
      const detail = hasEnded
        ? `The run did not complete: its status is ${run.status}`
        : 'The run is in progress';
      throw new Problem('conflict', detail, hasEnded ? {} : { headers: RETRY_SOON });
    }
    if (policy !== 'all') requireReview(run);
    return this.#limit.stream(feed.client, async () => {
      const document = await this.#findDocument(target, call.signal);
      if (!document) throw gone();
      const filled = { columns, learnedOf: await readLearned(this.#services, feed.client) };
      const source = await openBlob(this.#services.blobs, document.key, call.signal, gone);
      const linkOf = this.#createLinker(target, call);
      const outcomes = applyExportPolicy(
        this.#services,
        run,
        policy,
        readRowOutcomes(this.#services, run),
      );
      const body = exportWithLinks(source, document.options, outcomes, linkOf, filled);
      return { headers: exportHeaders(feed.id, document.metadata), body: toStream(body, source) };
    });
  }
}
