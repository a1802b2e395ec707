import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { type Photo, readReference } from '../eval-photos.ts';
import { type Scores, scoresOf } from '../matte-scores.ts';
import { cpuMillisOf, memoryOf, peakBytesOf } from '../processes.ts';
import type { Contender } from './contenders.ts';

/** Accuracy of a cut-out against its reference. */
export interface Quality extends Scores {
  kind: string;
  /**
   * Pixels of the subject with the cut-out's highest alpha, and how many of them have exactly the photo's
   * colours.
   */
  opaque: number;
  own: number;
}

/** Cost and quality of one program so far. */
export interface Tally {
  contender: Contender;
  images: number;
  cpuMillis: number;
  wallMillis: number;
  /** The sum of its processes' peaks: a page that they share counts once for each. */
  peakBytes: number;
  /** The highest memory after a cut-out, shared pages once; NaN if the kernel does not tell. */
  proportionalBytes: number;
  qualities: Quality[];
}

export const newTally = (contender: Contender): Tally => ({
  contender,
  images: 0,
  cpuMillis: 0,
  wallMillis: 0,
  peakBytes: 0,
  proportionalBytes: 0,
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
  const maxAlpha = reference.reduce((max, _, i) => Math.max(max, cutOut[4 * i + 3]!), 0);
  let [opaque, own] = [0, 0];
  reference.forEach((wanted, i) => {
    if (wanted < 255 || cutOut[4 * i + 3]! < maxAlpha) return;
    opaque++;
    if ([0, 1, 2].every((c) => cutOut[4 * i + c] === photo[3 * i + c])) own++;
  });
  return { opaque, own };
}

/** Rejects if the cut-out is not as large as its reference. */
async function measureQuality(png: Buffer, photo: Photo): Promise<Quality> {
  const { data, info } = await sharp(png)
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const alpha = Uint8Array.from({ length: width * height }, (_, i) => data[4 * i + 3]!);
  const reference = await readReference(photo);
  return {
    kind: photo.kind,
    ...scoresOf({ data: alpha, width, height }, reference),
    ...ownColours(data, await rgb(photo.image), reference.data),
  };
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const cpuMillis = ({ contender }: Tally): number => sum(contender.pids().map(cpuMillisOf));

/** Makes one cut-out and adds its cost; adds its quality only if asked, because that never changes. */
export async function measureCutOut(
  tally: Tally,
  photo: Photo,
  withQuality: boolean,
): Promise<void> {
  const cpuBefore = cpuMillis(tally);
  const startedAt = performance.now();
  const png = await tally.contender.cutOut({ file: photo.image, mediaType: 'image/jpeg' });
  tally.wallMillis += performance.now() - startedAt;
  tally.cpuMillis += cpuMillis(tally) - cpuBefore;
  tally.images++;
  const pids = tally.contender.pids();
  tally.peakBytes = sum(pids.map(peakBytesOf));
  const { proportionalBytes = Number.NaN } = memoryOf(pids);
  tally.proportionalBytes = Math.max(tally.proportionalBytes, proportionalBytes);
  if (withQuality) tally.qualities.push(await measureQuality(png, photo));
}
