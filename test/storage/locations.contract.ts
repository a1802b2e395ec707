import { expect, test } from 'vitest';
import {
  type ListedObject,
  type Location,
  ObjectGone,
} from '../../src/storage/locations/location.ts';

const { signal } = new AbortController();

/** Lists a location to its end, in the order of names. */
export async function listAll(location: Location, prefix = ''): Promise<ListedObject[]> {
  const found: ListedObject[] = [];
  for await (const page of location.list(prefix, signal)) {
    expect(page.length).toBeLessThanOrEqual(1000);
    found.push(...page);
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** An empty location, and how others change its objects. */
interface OpenLocation {
  location: Location;
  put(name: string, content: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** What holds for locations of every kind. */
export function locationContract(kind: string, open: () => Promise<OpenLocation>): void {
  test(`${kind} lists, reads and writes versions of objects`, async () => {
    const { location, put, remove } = await open();
    await put('a.jpg', 'first');
    await put('deep/b.jpg', 'second');
    const [first, second, ...rest] = await listAll(location);
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ name: 'a.jpg', bytes: 5 });
    expect(second).toMatchObject({ name: 'deep/b.jpg', bytes: 6 });
    if (!first || !second) throw new Error('nothing listed');
    expect(await location.head('a.jpg', signal)).toEqual(first);
    expect(await location.head('none.jpg', signal)).toBeUndefined();
    expect(String((await location.read(second, signal)).bytes)).toBe('second');

    await put('deep/b.jpg', 'changed');
    await expect(location.read(second, signal)).rejects.toThrow(ObjectGone);
    expect((await location.head('deep/b.jpg', signal))?.version).not.toBe(second.version);
    await remove('a.jpg');
    await expect(location.read(first, signal)).rejects.toThrow(ObjectGone);
    const stopped = AbortSignal.abort(new Error('stop'));
    await expect(location.read(second, stopped)).rejects.toThrow('stop');
  });
}
