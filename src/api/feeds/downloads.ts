import { Readable } from 'node:stream';
import type { FeedReading } from '../../feed/parse.ts';
import type { Call, Reply } from '../../http/route.ts';
import { BATCH_ENDED, type Batches, type BatchRecord } from '../../jobs/batches/batches.ts';
import { batchRows } from '../../jobs/batches/reading.ts';
import { type FeedRecord, readingOf } from '../../jobs/feeds/feeds.ts';
import { Problem, unavailable } from '../../problem.ts';
import { batchFiles } from '../../store/batch-files.ts';
import { BlobMissing, type Blobs } from '../../store/blobs.ts';
import { feedKeys } from '../../store/feed-keys.ts';
import { readSourceFacts } from '../../store/feed-source.ts';
import type { FileLinks } from '../../store/file-links.ts';
import { ASK_AGAIN } from '../job-answer.ts';
import { runAnswer } from './answer.ts';
import { exportedFeed, exportHeaders } from './export.ts';
import { type ImageLine, pictureName, productLines } from './lines.ts';
import { acceptedFormat, writeReport } from './report.ts';
import type { ReportFormat } from './request.ts';

export interface DownloadParts {
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
export function createFeedDownloads({ blobs, batches, links, publicUrl }: DownloadParts) {
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
    const notDone = BATCH_ENDED.includes(wanted.run.status)
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
        throw new Problem('conflict', 'The feed is still being read', { headers: ASK_AGAIN });
      }
      const lines = await linesOf(wanted, call.signal);
      const report = { run: runAnswer(run), lines, linkOf: linker(wanted, call) };
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
        const isOver = BATCH_ENDED.includes(run.status);
        const detail = isOver
          ? `The run was not completed: it ${run.status}`
          : 'The run is under way';
        throw new Problem('conflict', detail, isOver ? {} : { headers: ASK_AGAIN });
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
