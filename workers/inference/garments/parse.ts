import { ModelError } from '../../../models/catalog.ts';
import type { Size } from '../../../src/imaging/layout.ts';
import type { Box } from '../../../src/imaging/subject-box.ts';
import { type Pixels, toTensor } from '../../../src/imaging/tensor.ts';
import { stretch } from '../codec.ts';
import type { Session } from '../session.ts';
import { frameSubject } from './frame.ts';
import { GROUPS } from './groups.ts';

/** A cell of the network's output is so many pixels of its input a side. */
const CELL_PIXELS = 4;

/** The parse network's output for a region of an image: the probability of each group in each cell. */
export interface GroupMap extends Size {
  /** What the map covers, pixels of the image. */
  region: Box;
  /** One plane of `width` x `height` cells for each of `GROUPS`; those of a cell sum to 1. */
  probabilities: Float32Array;
}

/**
 * Tells the garments of a subject apart, cell by cell.
 * @param session of a model whose task is `parsing`
 * @param subject its box, within the image
 * @throws ModelError if the network does not answer with one probability for each group
 */
export async function parseGarments(
  session: Session,
  pixels: Pixels,
  subject: Box,
): Promise<GroupMap> {
  const { model, run } = session;
  const { region, input } = frameSubject(subject, pixels, model.input.size);
  const seen = await stretch(pixels, region, input);
  const probabilities = await run(toTensor(seen, model.input), input);
  const [width, height] = [input.width / CELL_PIXELS, input.height / CELL_PIXELS];
  if (probabilities.length !== GROUPS.length * width * height)
    throw new ModelError(`${model.id} does not tell ${GROUPS.length} groups apart`);
  return { region, width, height, probabilities };
}
