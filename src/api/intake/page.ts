import { z } from 'zod';
import type { ClientIndex, PageEnd } from '../../intake/client-index.ts';

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  before: z.string().max(100).optional().meta({ description: 'The last id of the previous page' }),
});
export type PageQuery = z.infer<typeof PageQuery>;

export const PageLinks = z
  .object({ next: z.string() })
  .meta({ id: 'PageLinks', description: 'Absent on the last page' })
  .optional();

/** Returns the link to the page after an entry, as members of a response. */
export const nextPage = (path: string, { limit }: PageQuery, lastId: string) => ({
  links: { next: `${path}?limit=${limit}&before=${lastId}` },
});

/** A record that is listed: deleted ones are tombstones. */
interface Listed {
  id: string;
  client: string;
  status: string;
  createdAt: string;
}

interface PageSource<T extends Listed> {
  path: string;
  index: ClientIndex;
  get(id: string): Promise<T | undefined>;
}

/** Returns the place of a page's last entry. Other clients' entries have none. */
async function findEnd<T extends Listed>(
  { get }: PageSource<T>,
  client: string,
  id: string,
): Promise<PageEnd> {
  const record = await get(id);
  const isOwn = record?.client === client;
  return { id, createdAtMillis: isOwn ? Date.parse(record.createdAt) : undefined };
}

/**
 * Reads one page of a client's records, the newest first, and the link to the next. Records that have
 * expired or were erased leave the list.
 */
export async function readPage<T extends Listed>(
  source: PageSource<T>,
  client: string,
  query: PageQuery,
): Promise<{ records: T[]; links?: { next: string } }> {
  const { path, index, get } = source;
  const { limit, before } = query;
  const end = before === undefined ? undefined : await findEnd(source, client, before);
  const ids = await index.list(client, limit, end);
  const found = await Promise.all(ids.map(get));
  const known = found.filter((record) => record !== undefined);
  const records = known.filter(({ status }) => status !== 'expired');
  const gone = ids.filter((_, i) => found[i] === undefined || found[i].status === 'expired');
  await index.drop(client, gone).catch(() => {}); // best effort
  const last = known.at(-1);
  const hasMore = ids.length === limit && last;
  return { records, ...(hasMore && nextPage(path, query, last.id)) };
}
