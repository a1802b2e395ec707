import { z } from 'zod';
import type { Blobs } from '../storage/blobs.ts';

/** The receipt of a deletion that a client requested. */
export const Erasure = z.object({
  erasedAt: z.iso.datetime(),
  /** How many were deleted; where the storage keeps versions, how many versions. */
  blobs: z.number(),
  /** The storage may keep versions of them, which cannot be deleted. */
  incomplete: z.literal(true).optional(),
});
export type Erasure = z.infer<typeof Erasure>;

/** Returns the receipt. @param blobs how many were deleted */
export const erasureOf = (
  storage: Pick<Blobs, 'kept'>,
  erasedAt: string,
  blobs: number,
): Erasure => ({ erasedAt, blobs, ...(storage.kept() && { incomplete: true }) });
