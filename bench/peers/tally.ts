import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { Photo } from '../eval-photos.ts';
import { type Scores, scoresOf } from '../matte-scores.ts';
import { cpuMillisOf, peakBytesOf } from '../processes.ts';
import type { Contender } from './contenders.ts';

/** How near a cut-out is to its reference. */
export interface Quality extends Scores {
  kind: string;
  /**
   * Pixels of the subject that the cut-out shows as opaque as it shows anything, and how many of them have the
   * photo's own colours to the bit.
   */
  opaque: number;
  own: number;
}

/** What one contender has spent and given so far. */
export interface Tally {
  contender: Contender;
  cuts: number;
  cpuMillis: number;
  wallMillis: number;
  peakBytes: number;
  qualities: Quality[];
}

export const newTally = (contender: Contender): Tally => ({
  contender,
  cuts: 0,
  cpuMillis: 0,
  wallMillis: 0,
  peakBytes: 0,
  qualities: [],
});

const rgb = async (file: string): Promise<Buffer> =>
  sharp(await readFile(file))
    .autoOrient()
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer();

function ownColours(cutOut: Uint8Array, photo: Uint8Array, reference: Uint8Array) {
  const most = reference.reduce((found, _, i) => Math.max(found, cutOut[4 * i + 3]!), 0);
  let [opaque, own] = [0, 0];
  reference.forEach((wanted, i) => {
    if (wanted < 255 || cutOut[4 * i + 3]! < most) return;
    opaque++;
    if ([0, 1, 2].every((c) => cutOut[4 * i + c] === photo[3 * i + c])) own++;
  });
  return { opaque, own };
}

/** Throws where the cut-out is not as large as its reference. */
async function qualityOf(png: Buffer, { kind, image, mask }: Photo): Promise<Quality> {
  const { data, info } = await sharp(png)
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const wanted = await sharp(mask).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  const alpha = Uint8Array.from({ length: width * height }, (_, i) => data[4 * i + 3]!);
  const reference = { data: wanted.data, width: wanted.info.width, height: wanted.info.height };
  return {
    kind,
    ...scoresOf({ data: alpha, width, height }, reference),
    ...ownColours(data, await rgb(image), reference.data),
  };
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const cpuMillis = ({ contender }: Tally): number => sum(contender.pids().map(cpuMillisOf));

/** Cuts one photo out, and adds what that took; what came of it only if asked, since it is always the same. */
export async function cutAndCount(tally: Tally, photo: Photo, isJudged: boolean): Promise<void> {
  const cpuBefore = cpuMillis(tally);
  const startedAt = performance.now();
  const png = await tally.contender.cut({ file: photo.image, mediaType: 'image/jpeg' });
  tally.wallMillis += performance.now() - startedAt;
  tally.cpuMillis += cpuMillis(tally) - cpuBefore;
  tally.cuts++;
  tally.peakBytes = sum(tally.contender.pids().map(peakBytesOf));
  if (isJudged) tally.qualities.push(await qualityOf(png, photo));
}
