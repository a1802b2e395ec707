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
export class RowImages {
  readonly #services;
  readonly #allowance;
  readonly #uploadId = randomUUID();
  readonly #keys;
  readonly #pending = new Map<number, PendingImage>();

  constructor(
    services: Pick<Gateway, 'blobs' | 'storedBytes'>,
    batch: Pick<BatchRecord, 'client' | 'id'>,
    allowance: BytesAllowance,
  ) {
    this.#services = services;
    this.#allowance = allowance;
    this.#keys = batchKeys(batch);
  }

  /** @throws Problem quota-exceeded, upstream-unavailable */
  async put(row: number, { bytes, format }: ValidatedImage): Promise<string> {
    const key = this.#keys.input(row, this.#uploadId);
    const reservation = await this.#services.storedBytes.reserve(this.#allowance, bytes.length);
    this.#pending.set(row, { key, reservation });
    await this.#services.blobs
      .put(key, bytes, { mediaType: `image/${format}` })
      .catch(storageUnavailable);
    return key;
  }

  /** Keeps the images of rows that are appended, or may be. */
  keep(lines: readonly RowLine[]): void {
    for (const { row } of lines) this.#pending.delete(row);
  }

  pendingBytes(): number {
    return [...this.#pending.values()].reduce((sum, { reservation }) => sum + reservation.bytes, 0);
  }

  /** Deletes the images of the rows that were not appended. What cannot be deleted now goes with the batch. */
  readonly discardPending = async (): Promise<void> => {
    const deletions = [...this.#pending.values()].map(async ({ key, reservation }) => {
      await this.#services.blobs.delete(key);
      await this.#services.storedBytes.release(reservation);
    });
    this.#pending.clear();
    await Promise.allSettled(deletions);
  };
}
