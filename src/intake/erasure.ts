import { z } from 'zod';
import type { Blobs } from '../storage/blobs.ts';

/** The receipt of a deletion that a client requested. */
export const Erasure = z.object({
  erasedAt: z.iso.datetime(),
  blobs: z.number().meta({
    description: 'Images, rows and results; where the storage keeps versions, all their versions',
  }),
  incomplete: z.literal(true).optional().meta({
    description: 'The storage may keep versions of them that cannot be deleted; else absent',
  }),
});
export type Erasure = z.infer<typeof Erasure>;

export const erasureOf = (
  storage: Pick<Blobs, 'kept'>,
  erasedAt: string,
  blobs: number,
): Erasure => ({ erasedAt, blobs, ...(storage.kept() && { incomplete: true }) });
