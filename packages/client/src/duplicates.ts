import type { DuplicateGroup, DuplicatesPage } from './contract.ts';
import type { CallOptions } from './interface.ts';
import type { Transport } from './transport.ts';

/** Groups of a page. */
const LIMIT = 100;

/** Yields the groups of rows with the same picture. @param path of a batch or run */
export async function* duplicateGroups(
  { requestJson }: Transport,
  path: string,
  options?: CallOptions,
): AsyncGenerator<DuplicateGroup> {
  let cursor: string | undefined = '0';
  while (cursor !== undefined) {
    const query: Record<string, string | number> = { limit: LIMIT, cursor };
    const page: DuplicatesPage = await requestJson<DuplicatesPage>(
      { method: 'GET', path: `${path}/duplicates`, query },
      options,
    );
    yield* page.groups;
    cursor = new URLSearchParams(page.links?.next.split('?')[1]).get('cursor') ?? undefined;
  }
}
