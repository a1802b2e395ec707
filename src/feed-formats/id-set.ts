import { hash } from 'node:crypto';
import type { Reason } from './feed-error.ts';

export interface IdSet {
  /** @returns false if the set already has the id */
  add(id: string): boolean;
}

/**
 * A set of ids, each stored as 64 bits of its SHA-256 in an open-addressing table: 16 to 32 bytes an id of any
 * length. Among a million ids, the probability of a collision is 1 in 37 million.
 */
export function idSet(): IdSet {
  let slots = new Uint32Array(2 * 1024);
  let size = 0;

  /** Returns the index of the pair's slot, or of the free slot where it belongs; 0, 0 marks a free slot. */
  function find(table: Uint32Array, high: number, low: number): number {
    const mask = table.length / 2 - 1;
    let slot = low & mask;
    while (table[2 * slot] !== 0 || table[2 * slot + 1] !== 0) {
      if (table[2 * slot] === high && table[2 * slot + 1] === low) break;
      slot = (slot + 1) & mask;
    }
    return 2 * slot;
  }

  function grow(): void {
    const larger = new Uint32Array(slots.length * 2);
    for (let i = 0; i < slots.length; i += 2) {
      const [high, low] = [slots[i]!, slots[i + 1]!];
      if (high !== 0 || low !== 0) larger.set([high, low], find(larger, high, low));
    }
    slots = larger;
  }

  return {
    add(id) {
      const digest = hash('sha256', id, 'buffer');
      const high = digest.readUInt32LE(0) || 1;
      const low = digest.readUInt32LE(4);
      const at = find(slots, high, low);
      if (slots[at] !== 0) return false;
      slots[at] = high;
      slots[at + 1] = low;
      size += 1;
      if (size * 4 > slots.length) grow();
      return true;
    },
  };
}

/**
 * Validates the id of the next row and adds it to the set.
 * @param name of the id in error messages
 * @returns why the id is invalid; undefined if it is valid
 */
export function takeId(
  ids: IdSet,
  id: string | undefined,
  name: string,
  maxChars: number,
): Reason | undefined {
  if (!id) return { code: 'missing-id', detail: `The row has no ${name}` };
  if (id.length > maxChars) {
    return { code: 'too-long', detail: `The ${name} is longer than ${maxChars} characters` };
  }
  if (ids.add(id)) return undefined;
  return { code: 'duplicate-id', detail: `An earlier row has the same ${name}` };
}
