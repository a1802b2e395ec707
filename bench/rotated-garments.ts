import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { type Rotation, rotatePlanes, type Size } from '../src/imaging/picture.ts';
import { IS_WORN, PART_OF } from '../workers/inference/garments/groups.ts';
import type { Session } from '../workers/inference/session.ts';
import { createLabelReader, type LabelledPhoto, readLabelledPhotos } from './garment-labels.ts';
import { separate } from './separate-photo.ts';
import { mean } from './statistics.ts';

/** Ways to hold a photo: degrees to the right, and the rotation that puts it upright again. */
const WAYS: readonly { degrees: number; back: Rotation }[] = [
  { degrees: 0, back: 0 },
  { degrees: 90, back: 3 },
  { degrees: 270, back: 1 },
];

/** What is found on one photo, held in one way. */
interface Found {
  degrees: number;
  person: boolean;
  /** For each pixel of the upright photo the part it is taken for. */
  parts: Uint8Array;
  /** Parts of the garments, sorted. */
  kinds: string;
  /** CPU of the separation beside that of the cut-out. */
  cpu: number;
}

async function findIn(remover: Session, parser: Session, image: Buffer): Promise<Found[]> {
  const found: Found[] = [];
  for (const { degrees, back } of WAYS) {
    const rotated = degrees === 0 ? image : await sharp(image).rotate(degrees).png().toBuffer();
    const { outfit, matte, parts, cutOutMillis, separationMillis } = await separate(
      remover,
      parser,
      rotated,
    );
    const kinds = outfit?.garments.map(({ region }) => region) ?? [];
    found.push({
      degrees,
      person: outfit?.person ?? false,
      parts: rotatePlanes(parts, matte, back),
      kinds: [...new Set(kinds)].sort().join(' '),
      cpu: separationMillis / cutOutMillis,
    });
  }
  return found;
}

/** Share of the pixels that either says are worn, in which both say the same. */
function agreement(a: ArrayLike<number>, b: ArrayLike<number>, isSame: boolean): number {
  let [same, all] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    if (a[i] === 0 && b[i] === 0) continue;
    all++;
    if (isSame ? a[i] === b[i] : a[i]! > 0 && b[i]! > 0) same++;
  }
  return all > 0 ? same / all : 1;
}

/** Parts of what is worn, by the labels; 0 elsewhere. */
const wornParts = (labels: Uint8Array): Uint8Array =>
  labels.map((group) => (IS_WORN[PART_OF[group]!] ? PART_OF[group]! : 0));

async function scorePhoto(
  sessions: readonly [remover: Session, parser: Session],
  photo: LabelledPhoto,
  readLabels: (photo: LabelledPhoto) => Promise<Size & { data: Uint8Array }>,
) {
  const wanted = wornParts((await readLabels(photo)).data);
  const found = await findIn(...sessions, await readFile(photo.image));
  const upright = found[0]!;
  return found.map((each) => ({
    degrees: each.degrees,
    person: Number(each.person),
    iou: agreement(each.parts, wanted, false),
    sameAsLabelled: agreement(each.parts, wanted, true),
    sameAsUpright: agreement(each.parts, upright.parts, true),
    sameKinds: Number(each.kinds === upright.kinds),
    cpu: each.cpu,
  }));
}

/** Scores labelled photos as they are and on their sides. */
export async function measureRotated(
  remover: Session,
  parser: Session,
  folder: string,
  limit?: number,
) {
  const photos = readLabelledPhotos(folder, limit);
  const readLabels = photos.length > 0 ? createLabelReader(folder) : undefined;
  const scores: Awaited<ReturnType<typeof scorePhoto>> = [];
  for (const photo of photos)
    scores.push(...(await scorePhoto([remover, parser], photo, readLabels!)));
  return WAYS.map(({ degrees }) => {
    const own = scores.filter((score) => score.degrees === degrees);
    const of = (name: keyof (typeof own)[number]) => mean(own.map((score) => score[name]));
    return {
      degrees,
      photos: own.length,
      people: of('person') * own.length,
      'mIoU of all worn': of('iou'),
      'pixels as labelled': of('sameAsLabelled'),
      'pixels as upright': of('sameAsUpright'),
      'regions as upright': of('sameKinds') * own.length,
      'CPU by cut-out': of('cpu'),
    };
  });
}

/** Prints what `measureRotated` returns. */
export function printRotated(rows: Awaited<ReturnType<typeof measureRotated>>): void {
  console.log('Street photos as they are, and rotated to the right by so many degrees:');
  for (const { degrees, photos, ...figures } of rows) {
    const said = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(3)}`);
    console.log(`${String(degrees).padStart(3)}° ${photos} photos  ${said.join('  ')}`);
  }
}
