import { unavailable } from '../platform/problem.ts';
import { createFairShare, type ShareRejection } from './fair-share.ts';

/** The memory that one request's body takes. */
export interface BodyHold {
  /**
   * Takes as much memory in total, or returns what it no longer needs.
   * @throws Problem upstream-unavailable if there is not enough
   */
  resize(bytes: number): void;
  /** Returns all memory, for good. */
  release(): void;
}

const DETAILS: Readonly<Record<ShareRejection, string>> = {
  full: 'This server is receiving as many bodies as it has memory for; try again',
  share: 'You are sending more bodies at once than this server has memory for; send fewer',
};

/**
 * Limits the memory that bodies in progress take, over all connections, and divides it fairly among
 * clients.
 */
export function createBodyMemory(maxBytes: number, onReject: (reason: ShareRejection) => void) {
  const share = createFairShare(maxBytes);

  function hold(client: string): BodyHold {
    let held = 0;
    let isReleased = false;
    function resize(bytes: number): void {
      if (isReleased) return;
      const more = bytes - held;
      const rejection = more > 0 ? share.check(client, more) : undefined;
      if (rejection) {
        onReject(rejection);
        throw unavailable(DETAILS[rejection]);
      }
      share.add(client, more);
      held = bytes;
    }
    function release(): void {
      resize(0);
      isReleased = true;
    }
    return { resize, release };
  }

  return { heldBytes: share.total, hold };
}

export type BodyMemory = ReturnType<typeof createBodyMemory>;
