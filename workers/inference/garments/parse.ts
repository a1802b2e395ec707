import { ModelError } from '../../../models/catalog.ts';
import { mirrorPixels } from '../../../src/imaging/crop.ts';
import type { Size } from '../../../src/imaging/layout.ts';
import { mirror } from '../../../src/imaging/probability-map.ts';
import type { Box } from '../../../src/imaging/subject-box.ts';
import { type Pixels, toTensor } from '../../../src/imaging/tensor.ts';
import { stretch } from '../codec.ts';
import type { Session } from '../session.ts';
import { frameSubject } from './frame.ts';
import { GROUPS } from './groups.ts';

/** A cell of the network's output is so many pixels of its input a side. */
export const CELL_PIXELS = 4;

/** The parse network's output for a region of an image: the probability of each group in each cell. */
export interface GroupMap extends Size {
  /** What the map covers, pixels of the image. */
  region: Box;
  /** What the network was shown of it, if cells of one colour are to agree about their part. */
  seen?: Pixels;
  /** One plane of `width` x `height` cells for each of `GROUPS`; those of a cell sum to 1. */
  probabilities: Float32Array;
}

/** Runs the network on one picture. @throws ModelError */
async function look({ model, run }: Session, seen: Pixels): Promise<Float32Array> {
  const { width, height } = seen;
  const probabilities = await run(toTensor(seen, model.input), { width, height });
  if (probabilities.length * CELL_PIXELS ** 2 !== GROUPS.length * width * height)
    throw new ModelError(`${model.id} does not tell ${GROUPS.length} groups apart`);
  return probabilities;
}

/** Runs the network on a subject in its frame. */
async function firstLook(
  session: Session,
  pixels: Pixels,
  subject: Box,
): Promise<Required<GroupMap>> {
  const { region, input } = frameSubject(subject, pixels, session.model.input.size);
  const seen = await stretch(pixels, region, input);
  const [width, height] = [input.width / CELL_PIXELS, input.height / CELL_PIXELS];
  return { region, seen, width, height, probabilities: await look(session, seen) };
}

/**
 * Tells the garments of a subject apart in one look, cell by cell. For naming photos, whose calibration was fitted to it
 * (docs/adr/0068-one-cloth.md).
 * @param session of a model whose task is `parsing`
 * @param subject its box, within the image
 * @throws ModelError if the network does not answer with one probability for each group
 */
export async function parseOnce(
  session: Session,
  pixels: Pixels,
  subject: Box,
): Promise<Omit<GroupMap, 'seen'>> {
  const { seen, ...map } = await firstLook(session, pixels, subject);
  return map;
}

/**
 * Tells the garments of a subject apart, cell by cell: the mean of what the network says of it and of its mirror image.
 * Parameters and errors as of `parseOnce`.
 */
export async function parseGarments(
  session: Session,
  pixels: Pixels,
  subject: Box,
): Promise<GroupMap> {
  const { seen, ...map } = await firstLook(session, pixels, subject);
  const { width, height, probabilities } = map;
  const mirrored = await look(session, mirrorPixels(seen));
  // All planes at once: they lie one below the other.
  mirror({ data: mirrored, width, height: GROUPS.length * height });
  for (let i = 0; i < probabilities.length; i++)
    probabilities[i] = (probabilities[i]! + mirrored[i]!) / 2;
  return { ...map, seen };
}
