import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../support/root.ts';

/* Programs of a project that has the client installed. */

/** For Node.js; its arguments are the URL of the service and a key. */
export const SCRIPT = `
import { readFileSync } from 'node:fs';
import { createClient, SelvageError } from '@selvage/client';
const [baseUrl, key] = process.argv.slice(2);
const client = createClient({ baseUrl, key });
const { image, mediaType } = await client.removeBackground(readFileSync('photo.jpg'));
const { category } = await client.classify({ attributes: { title: 'Blue jeans' } });
const error = await createClient({ baseUrl, key: 'sv_nobody' }).usage().catch((cause) => cause);
const type = error instanceof SelvageError ? error.type : error;
const isPng = image[1] === 0x50 && image.length > 100;
console.log(JSON.stringify({ mediaType, isPng, category: category.id, type }));
`;

/** For a page: the same as in Node.js, and what only pages have to deal with. */
export const IN_PAGE = `(async ([photo, key]) => {
  const { createClient } = await import('@selvage/client');
  let rejected;
  try { createClient({ key }); } catch (error) { rejected = error.type; }
  const client = createClient({ key, allowKeyInBrowser: true });
  const { mediaType } = await client.removeBackground(await (await fetch(photo)).blob());
  const { id } = await client.batches.create();
  const upload = await client.batches.addRows(id, [{ customId: 'a', imageBase64: photo.split(',')[1] }]);
  await client.batches.seal(id);
  const events = [];
  for await (const { event } of client.batches.events(id)) events.push(event);
  const rows = [];
  for await (const { customId } of client.batches.results(id)) rows.push(customId);
  const nobody = await createClient().usage().catch(({ type }) => type);
  return { rejected, mediaType, accepted: upload.accepted, last: events.at(-1), rows, nobody };
})`;

/** What the compiler must accept, and what it must reject. */
export const TYPED = `
import { type BackgroundRemovalOptions, createClient, type OutfitsRequest } from '@selvage/client';
const client = createClient({ baseUrl: 'https://gateway.example', key: async () => 'sv_key' });
const request: OutfitsRequest = {
  weather: { tempC: 4, windMs: 3, humidityPct: 70, condition: 'cloudy' },
  met: 1.6,
  items: [{ id: 'tee', category: 't_shirt' }],
};
export const names: string[] = (await client.look.outfits(request)).outfits.map(({ name }) => name);
const options: BackgroundRemovalOptions = { format: 'webp', crop: true, timeoutMillis: 1000 };
export const bytes: Uint8Array = (await client.removeBackground(new Blob(), options)).image;
// The deprecated names are accepted.
createClient({ retry: { mostAttempts: 3, mostMillis: 1000 } });
// @ts-expect-error there is no such format
await client.removeBackground(new Uint8Array(), { format: 'gif' });
// Any text is a condition.
request.weather.condition = 'raining frogs';
// @ts-expect-error the wind has a number
request.weather.windMs = 'strong';
`;

/** Declares what the examples of the manual assume. */
const GIVEN = `
import { writeFile } from 'node:fs/promises';
import { createClient } from '@selvage/client';
declare const client: ReturnType<typeof createClient>;
declare const vault: { read(name: string): Promise<string> };
declare const catalogue: () => { sku: string; photo: string }[];
`;

/** Returns each example of the manual as a program. */
export async function examples(): Promise<string[]> {
  const manual = await readFile(join(ROOT, 'docs', 'client.md'), 'utf8');
  return [...manual.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) =>
    code.startsWith('import') ? code : GIVEN + code,
  );
}
