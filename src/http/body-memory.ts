import { EventEmitter, once } from 'node:events';
import { unavailable } from '../platform/problem.ts';
import { FairShare, type ShareRejection } from './fair-share.ts';

/** A body or file is in memory twice when it is complete: as the chunks that arrived, and as a whole. */
export const BODY_WEIGHT = 2;

export interface BodyHold {
  /**
   * Takes as much memory in total, or returns what it no longer needs.
   * @throws Problem upstream-unavailable if there is not enough
   */
  resize(bytes: number): void;
  /** Takes as much memory in total. Of what exceeds its client's share nothing is counted. */
  take(bytes: number): void;
  /** Takes memory likewise, once there is enough or its client holds nothing. */
  wait(bytes: number, signal: AbortSignal): Promise<void>;
  /** Returns all memory, for good. */
  release(): void;
}

const DETAILS: Readonly<Record<ShareRejection, string>> = {
  full: 'This server has as many bodies as it has memory for; try again',
  share: 'Your bodies take more memory than this server has for one client; send fewer at once',
};

/**
 * Limits the memory that bodies in progress take, over all connections, and divides it fairly among
 * clients. What a client receives is divided apart from what it sends: one can wait for the other.
 */
export function createBodyMemory(maxBytes: number, onReject: (reason: ShareRejection) => void) {
  const share = new FairShare(maxBytes);
  const events = new EventEmitter().setMaxListeners(0);

  function createHold(client: string): BodyHold {
    let held = 0;
    let isReleased = false;
    function set(bytes: number): void {
      if (isReleased) return;
      share.add(client, bytes - held);
      if (bytes < held) events.emit('returned');
      held = bytes;
    }
    function resize(bytes: number): void {
      const more = bytes - held;
      const rejection = more > 0 && !isReleased ? share.check(client, more) : undefined;
      if (rejection) {
        onReject(rejection);
        throw unavailable(DETAILS[rejection]);
      }
      set(bytes);
    }
    function take(bytes: number): void {
      set(Math.min(bytes, held + share.left(client)));
    }
    async function wait(bytes: number, signal: AbortSignal): Promise<void> {
      while (share.heldBy(client) > 0 && share.check(client, bytes)) {
        await once(events, 'returned', { signal }).catch(() => signal.throwIfAborted());
      }
      take(bytes);
    }
    function release(): void {
      set(0);
      isReleased = true;
    }
    return { resize, take, wait, release };
  }

  return {
    heldBytes: share.total,
    hold: (client: string) => createHold(`body ${client}`),
    holdResponse: (client: string) => createHold(`response ${client}`),
  };
}

export type BodyMemory = ReturnType<typeof createBodyMemory>;
