import { randomUUID } from 'node:crypto';
import type { Gateway } from '../../../gateway.ts';
import { batchKeys } from '../../../intake/batches/batch-files.ts';
import type { BatchRecord } from '../../../intake/batches/batch-record.ts';
import type { RowLine } from '../../../intake/batches/rows.ts';
import type { BytesAllowance, BytesReservation } from '../../../intake/stored-bytes.ts';
import type { ValidatedImage } from '../../../intake/validate-image.ts';
import { throwUnavailable } from '../../common-problems.ts';

export const storageUnavailable = throwUnavailable(
  'Object storage does not respond; resume from "offset" later',
);

interface PendingImage {
  key: string;
  reservation: BytesReservation;
}

/** Stores the images that come with the rows of one upload, and deletes those whose rows are not appended. */
export function createRowImages(
  { blobs, storedBytes }: Pick<Gateway, 'blobs' | 'storedBytes'>,
  { client, id }: Pick<BatchRecord, 'client' | 'id'>,
  allowance: BytesAllowance,
) {
  const uploadId = randomUUID();
  const keys = batchKeys(client, id);
  const pending = new Map<number, PendingImage>();

  return {
    /** @throws Problem quota-exceeded, upstream-unavailable */
    async put(row: number, { bytes, format }: ValidatedImage): Promise<string> {
      const key = keys.input(row, uploadId);
      const reservation = await storedBytes.reserve(allowance, bytes.length);
      pending.set(row, { key, reservation });
      await blobs.put(key, bytes, { mediaType: `image/${format}` }).catch(storageUnavailable);
      return key;
    },

    /** Keeps the images of rows that are appended, or may be. */
    keep(lines: readonly RowLine[]): void {
      for (const { row } of lines) pending.delete(row);
    },

    pendingBytes: (): number =>
      [...pending.values()].reduce((sum, { reservation }) => sum + reservation.bytes, 0),

    /** Deletes the images of the rows that were not appended. What cannot be deleted now goes with the batch. */
    async discardPending(): Promise<void> {
      const deletions = [...pending.values()].map(async ({ key, reservation }) => {
        await blobs.delete(key);
        await storedBytes.release(reservation);
      });
      pending.clear();
      await Promise.allSettled(deletions);
    },
  };
}
