import { readFile, writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type {
  Client,
  Quality,
  SeparatedGarments,
  WardrobeItem,
} from '../../../packages/client/src/client.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { isFatal } from '../terminal/error-report.ts';
import { saveBytes } from '../terminal/files.ts';
import { forEachParallel } from '../terminal/for-each-parallel.ts';
import { CliError, type Output, usageError } from '../terminal/output.ts';
import { PhotoLedger } from './ledger.ts';
import { PhotoSummary } from './photo-summary.ts';
import { type Photo, planPhotos, readPicture } from './photos.ts';

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

/** What the command prints of an outfit. */
function aboutOutfit({ garments, person, review, requestId }: SeparatedGarments, files: string[]) {
  const found = garments.map(({ group, region, classification }) => ({
    group,
    region,
    category: classification.category?.id ?? null,
  }));
  return { files, person, garments: found, review, requestId };
}

interface SplitDeps {
  client: Client;
  options: SplitOptions;
  folder: string;
  summary: PhotoSummary;
  /** The outfits, also of earlier runs. */
  made: Pick<SeparatedGarments, 'garments'>[];
}

/** Writes the cut-outs of a photo, and last its description. */
async function saveOutfit(
  { output }: Photo,
  { images, ...outfit }: SeparatedGarments,
  to: { folder: string; force: boolean; description: string },
): Promise<string[]> {
  const base = output.slice(0, -extname(output).length);
  const files: string[] = [];
  for (const [i, image] of images.entries()) {
    const path = `${base}-${outfit.garments[i]?.cutout?.file ?? `${i}.png`}`;
    await saveBytes(path, image, to);
    files.push(path);
  }
  await writeFile(to.description, `${JSON.stringify(outfit, undefined, 2)}\n`);
  return files;
}

/** Reads what an earlier run wrote about a photo. */
const readOutfit = async ({ output }: Photo): Promise<SplitDeps['made'][number]> =>
  JSON.parse(await readFile(output, 'utf8'));

/** Separates the garments of one photo. Throws only fatal errors. */
const splitOne =
  ({ client, options, folder, summary, made }: SplitDeps, ledger: PhotoLedger) =>
  async (photo: Photo, signal: AbortSignal): Promise<void> => {
    const { quality, locale } = options;
    try {
      if (photo.conflict)
        throw new CliError(`${photo.output} is already the outfit of ${photo.conflict}`);
      if (await ledger.isDone(photo)) {
        made.push(await readOutfit(photo));
        return summary.skipped(photo);
      }
      const done = await ledger.make(photo, async (description, force) => {
        const outfit = await client.separateGarments(await readPicture(photo.input), {
          cutouts: true,
          quality,
          ...(locale !== undefined && { options: { locale } }),
          signal,
        });
        return { outfit, files: await saveOutfit(photo, outfit, { folder, force, description }) };
      });
      made.push(done.outfit);
      const { needed, reasons } = done.outfit.review;
      const check = needed ? reasons.join(', ') : undefined;
      summary.succeeded(photo, aboutOutfit(done.outfit, done.files), check);
    } catch (error) {
      signal.throwIfAborted();
      if (isFatal(error)) throw error;
      summary.failed(photo, error);
    }
  };

async function saveWardrobe(path: string, made: SplitDeps['made'], force: boolean): Promise<void> {
  const items: WardrobeItem[] = made.flatMap(({ garments }) =>
    garments.flatMap(({ classification }) => classification.wardrobeItem ?? []),
  );
  const text = `${JSON.stringify({ items }, undefined, 2)}\n`;
  await saveBytes(path, text, { force });
}

/** Separates the garments of the photos in files and folders. */
export async function splitPhotos(
  paths: readonly string[],
  options: SplitOptions,
  signal: AbortSignal,
): Promise<void> {
  const { output: folder, jobs = DEFAULT_JOBS, force = false } = options;
  if (!folder) throw usageError('Name the output folder: -o <folder>');
  const { photos, leftOut } = await planPhotos(paths, folder, 'json');
  const client = connect(options);
  const summary = new PhotoSummary(photos.length, leftOut, options);
  const made: SplitDeps['made'] = [];
  const { quality, locale } = options;
  const ledger = await PhotoLedger.open('split', folder, { request: { quality, locale }, force });
  const work = splitOne({ client, options, folder, summary, made }, ledger);
  try {
    await forEachParallel(photos.values(), Math.min(jobs, photos.length), signal, work);
    if (options.wardrobe) await saveWardrobe(options.wardrobe, made, force);
  } finally {
    await ledger.close();
    const garments = made.reduce((sum, outfit) => sum + outfit.garments.length, 0);
    summary.end(() => `${garments} garments of ${made.length} photos`);
  }
}
