import { Readable } from 'node:stream';
import type { FeedReading } from '../../../feed-formats/parse.ts';
import type { Call, Reply } from '../../../http/route.ts';
import { batchFiles } from '../../../intake/batches/batch-files.ts';
import {
  BATCH_TERMINAL_STATUSES,
  type Batches,
  type BatchRecord,
} from '../../../intake/batches/batches.ts';
import { batchRows } from '../../../intake/batches/row-reader.ts';
import { feedKeys } from '../../../intake/feeds/feed-keys.ts';
import { readSourceFacts } from '../../../intake/feeds/feed-source.ts';
import { type FeedRecord, readingOf } from '../../../intake/feeds/feeds.ts';
import { Problem, unavailable } from '../../../platform/problem.ts';
import { BlobMissing, type Blobs } from '../../../storage/blobs.ts';
import type { FileLinks } from '../../../storage/file-links.ts';
import { RETRY_SOON } from '../job-response.ts';
import { exportedFeed, exportHeaders } from './export.ts';
import { acceptedFormat, writeReport } from './report.ts';
import { type ImageLine, pictureName, productLines } from './report-lines.ts';
import type { ReportFormat } from './request.ts';
import { runResponse } from './response.ts';

export interface DownloadDeps {
  blobs: Blobs;
  batches: Batches;
  links: FileLinks;
  /** Where marketplaces reach this service; where the request went, unless told. */
  publicUrl: string | undefined;
}

interface Wanted {
  feed: FeedRecord;
  run: BatchRecord;
}

const gone = (): Problem => new Problem('gone', 'What this run left has expired');

const storeDown = (cause: unknown): never => {
  if (cause instanceof BlobMissing) throw gone();
  throw unavailable('The store does not answer; try again', 1, cause);
};

/** A download in bytes that is closed with the connection. */
const streamOf = (bytes: AsyncGenerator<Uint8Array>): Readable =>
  Readable.from(bytes, { objectMode: false });

/** What a run left, for its client to take away. */
export function createFeedDownloads({ blobs, batches, links, publicUrl }: DownloadDeps) {
  /** Pictures of older runs are deleted, so only the run that the feed shows has links to them. */
  function linker({ feed, run }: Wanted, { headers }: Pick<Call, 'headers'>) {
    const base = publicUrl ?? `http://${headers.host ?? 'localhost'}`;
    if (feed.lastCompletedRunId !== run.id) return () => undefined;
    return (id: string, image: number, { pictureKey }: Pick<ImageLine, 'pictureKey'>) =>
      pictureKey && new URL(links.make(pictureKey, pictureName(id, image, pictureKey)), base).href;
  }

  async function documentOf({ feed, run }: Wanted, signal: AbortSignal) {
    const key = feedKeys(feed.client, feed.id).source(run.id);
    const head = await blobs.head(key, signal).catch(storeDown);
    if (!head) return undefined;
    const facts = readSourceFacts(head);
    const reading: FeedReading = readingOf(feed, facts);
    return { key, facts, reading };
  }

  const outcomesOf = ({ feed, run }: Wanted) =>
    batchRows(batches, batchFiles(blobs, feed.client, run.id), run);

  async function* nothing(): AsyncGenerator<never> {}

  async function linesOf(wanted: Wanted, signal: AbortSignal) {
    const document = await documentOf(wanted, signal);
    if (!document) return nothing();
    const bytes = await blobs.open(document.key, signal).catch(storeDown);
    const notDone = BATCH_TERMINAL_STATUSES.includes(wanted.run.status)
      ? 'The run ended before this image was worked on'
      : 'This image is still to be worked on';
    return productLines(bytes, document.reading, outcomesOf(wanted), notDone);
  }

  return {
    /** @throws Problem conflict while the feed is being read, gone */
    async report(
      wanted: Wanted,
      call: Pick<Call, 'headers' | 'signal'>,
      format: ReportFormat = acceptedFormat(call.headers.accept),
    ): Promise<Reply> {
      const { run } = wanted;
      if (run.status === 'expired') throw gone();
      if (run.status === 'open') {
        throw new Problem('conflict', 'The feed is still being read', { headers: RETRY_SOON });
      }
      const lines = await linesOf(wanted, call.signal);
      const report = { run: runResponse(run), lines, linkOf: linker(wanted, call) };
      const { mediaType, body } = writeReport(format, report);
      const headers = {
        'content-type': mediaType,
        'cache-control': 'private, no-store',
        vary: 'Accept',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      };
      return { headers, body: streamOf(body) };
    },

    /** @throws Problem conflict where the run has not completed, gone */
    async export(wanted: Wanted, call: Pick<Call, 'headers' | 'signal'>): Promise<Reply> {
      const { feed, run } = wanted;
      if (feed.lastCompletedRunId !== run.id) {
        if (run.status === 'expired') throw gone();
        if (run.status === 'completed') {
          throw new Problem('gone', 'A newer run has taken its place; export the feed itself');
        }
        const isOver = BATCH_TERMINAL_STATUSES.includes(run.status);
        const detail = isOver
          ? `The run was not completed: it ${run.status}`
          : 'The run is under way';
        throw new Problem('conflict', detail, isOver ? {} : { headers: RETRY_SOON });
      }
      const document = await documentOf(wanted, call.signal);
      if (!document) throw gone();
      const bytes = await blobs.open(document.key, call.signal).catch(storeDown);
      const linkOf = linker(wanted, call);
      const body = exportedFeed(bytes, document.reading, outcomesOf(wanted), linkOf);
      return { headers: exportHeaders(feed.id, document.facts), body: streamOf(body) };
    },
  };
}

export type FeedDownloads = ReturnType<typeof createFeedDownloads>;
