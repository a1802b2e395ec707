import { readFile, writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import type {
  Client,
  Quality,
  SeparatedGarments,
  WardrobeItem,
} from '../../../packages/client/src/client.ts';
import { connect } from '../connection/connect.ts';
import type { ServerOptions } from '../connection/server-profile.ts';
import { errorText, isFatal, toErrorReport } from '../terminal/error-report.ts';
import { CliError, EXIT, usageError } from '../terminal/exit.ts';
import { forEachParallel } from '../terminal/for-each-parallel.ts';
import { type Output, print, say } from '../terminal/output.ts';
import { showProgress } from '../terminal/progress.ts';
import { save } from '../terminal/save.ts';
import { type Photo, planPhotos } from './photos.ts';

export interface SplitOptions extends ServerOptions, Output {
  output?: string;
  force?: true;
  wardrobe?: string;
  quality?: Quality;
  locale?: string;
  jobs?: number;
}

/** Default number of concurrent requests; a server has other clients too. */
const DEFAULT_JOBS = 2;

/** Counts outcomes and reports them: a bar, a line for each failure and for each photo to check, NDJSON with `--json`. */
function createSummary(photos: number, options: Output) {
  const progress = showProgress(photos, 'photos', options);
  const counts = { photos: 0, garments: 0, failed: 0 };
  const printLine = (line: object) => options.json && print(options, line, '');
  return {
    succeeded({ input, output }: Photo, outfit: SeparatedGarments, files: string[]): void {
      const { garments, review, person, requestId } = outfit;
      counts.photos++;
      counts.garments += garments.length;
      progress.step();
      if (review.needed && !options.json && !options.quiet)
        progress.note(`${input}: please check: ${review.reasons.join(', ')}.`);
      const found = garments.map(({ group, region, classification }) => ({
        group,
        region,
        category: classification.category?.id ?? null,
      }));
      const line = { file: input, status: 'succeeded', output, files, person, garments: found };
      printLine({ ...line, review, requestId });
    },
    failed({ input }: Photo, error: unknown): void {
      counts.failed++;
      progress.step();
      progress.note(`${input}: ${errorText(error)}`);
      const problem = toErrorReport(error) ?? { detail: errorText(error) };
      printLine({ file: input, status: 'failed', problem });
    },
    /** Removes the bar, prints the totals and returns how many failed. */
    end(): number {
      progress.stop();
      const { photos: done, garments, failed } = counts;
      const left = photos - done - failed;
      const counted = [
        `${garments} garments of ${done} photos`,
        failed && `${failed} failed`,
        left && `${left} not started`,
      ];
      say(options, `${counted.filter(Boolean).join(', ')}.`);
      return failed;
    },
  };
}

interface SplitDeps {
  client: Client;
  options: SplitOptions;
  folder: string;
  summary: ReturnType<typeof createSummary>;
  wardrobe: WardrobeItem[];
}

/** Writes the cut-outs of a photo, and last its description: where that is, everything is. */
async function saveOutfit(
  { output }: Photo,
  { images, ...outfit }: SeparatedGarments,
  to: { folder: string; force: boolean },
): Promise<string[]> {
  const base = output.slice(0, -extname(output).length);
  const files: string[] = [];
  for (const [i, image] of images.entries()) {
    const path = `${base}-${outfit.garments[i]?.cutout?.file ?? `${i}.png`}`;
    await save(path, to, (temporary) => writeFile(temporary, image));
    files.push(path);
  }
  const text = `${JSON.stringify(outfit, undefined, 2)}\n`;
  await save(output, to, (temporary) => writeFile(temporary, text));
  return files;
}

/** Separates the garments of one photo. Throws only fatal errors. */
const splitOne =
  ({ client, options, folder, summary, wardrobe }: SplitDeps) =>
  async (photo: Photo, signal: AbortSignal): Promise<void> => {
    const { quality, locale, force = false } = options;
    try {
      if (photo.conflict)
        throw new CliError(`${photo.output} is already the outfit of ${photo.conflict}`);
      const outfit = await client.separateGarments(await readFile(photo.input), {
        cutouts: true,
        quality,
        ...(locale !== undefined && { options: { locale } }),
        signal,
      });
      const files = await saveOutfit(photo, outfit, { folder, force });
      for (const { classification } of outfit.garments)
        if (classification.wardrobeItem) wardrobe.push(classification.wardrobeItem);
      summary.succeeded(photo, outfit, files);
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      summary.failed(photo, error);
    }
  };

async function saveWardrobe(
  path: string,
  items: readonly WardrobeItem[],
  force: boolean,
): Promise<void> {
  const text = `${JSON.stringify({ items }, undefined, 2)}\n`;
  await save(path, { folder: dirname(path), force }, (temporary) => writeFile(temporary, text));
}

/** Separates the garments of the photos in files and folders. */
export async function splitPhotos(
  paths: readonly string[],
  options: SplitOptions,
  signal: AbortSignal,
): Promise<void> {
  const { output: folder, jobs = DEFAULT_JOBS, force = false } = options;
  if (!folder) throw usageError('Name the output folder: -o <folder>');
  const photos = await planPhotos(paths, folder, 'json');
  const client = connect(options);
  const summary = createSummary(photos.length, options);
  const wardrobe: WardrobeItem[] = [];
  const work = splitOne({ client, options, folder, summary, wardrobe });
  try {
    await forEachParallel(photos.values(), Math.min(jobs, photos.length), signal, work);
    if (options.wardrobe) await saveWardrobe(options.wardrobe, wardrobe, force);
  } finally {
    if (summary.end() > 0) process.exitCode = EXIT.failed;
  }
}
