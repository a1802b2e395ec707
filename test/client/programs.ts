import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../support/processes.ts';

/** Programs as who installed the package would write them. */

/** In Node; told where the service is, and a key. */
export const SCRIPT = `
import { readFileSync } from 'node:fs';
import { createClient, SelvageError } from 'selvage/client';
const [baseUrl, key] = process.argv.slice(2);
const client = createClient({ baseUrl, key });
const { image, mediaType } = await client.removeBackground(readFileSync('photo.jpg'));
const { category } = await client.classify({ attributes: { title: 'Blue jeans' } });
const refused = await createClient({ baseUrl, key: 'sv_nobody' }).usage().catch((error) => error);
const type = refused instanceof SelvageError ? refused.type : refused;
console.log(JSON.stringify({ mediaType, isPicture: image.length > 100, category: category.id, type }));
`;

/** In the page: what the script above does in Node, and what only a page has to face. */
export const IN_PAGE = `(async ([photo, key]) => {
  const { createClient } = await import('selvage/client');
  let refused;
  try { createClient({ key }); } catch (error) { refused = error.type; }
  const client = createClient({ key, allowKeyInBrowser: true });
  const { mediaType } = await client.removeBackground(await (await fetch(photo)).blob());
  const { id } = await client.batches.create();
  const sent = await client.batches.addRows(id, [{ customId: 'a', imageBase64: photo.split(',')[1] }]);
  await client.batches.seal(id);
  const events = [];
  for await (const { event } of client.batches.events(id)) events.push(event);
  const rows = [];
  for await (const { customId } of client.batches.results(id)) rows.push(customId);
  const nobody = await createClient().usage().catch(({ type }) => type);
  return { refused, mediaType, accepted: sent.accepted, last: events.at(-1), rows, nobody };
})`;

/** What the compiler has to find in the types, and what it has to find wrong. */
export const TYPED = `
import { createClient, type OutfitsRequest } from 'selvage/client';
const client = createClient({ baseUrl: 'https://gateway.example', key: async () => 'sv_key' });
const request: OutfitsRequest = {
  weather: { tempC: 4, windMs: 3, humidityPct: 70, condition: 'cloudy' },
  met: 1.6,
  items: [{ id: 'tee', category: 't_shirt' }],
};
export const names: string[] = (await client.look.outfits(request)).outfits.map(({ name }) => name);
// @ts-expect-error there is no such format
await client.removeBackground(new Uint8Array(), { format: 'gif' });
// @ts-expect-error there is no such weather
request.weather.condition = 'frogs';
`;

/** What the examples of the manual take for granted. */
const GIVEN = `
import { writeFile } from 'node:fs/promises';
import { createClient } from 'selvage/client';
declare const client: ReturnType<typeof createClient>;
declare const vault: { read(name: string): Promise<string> };
declare const catalogue: () => { sku: string; photo: string }[];
`;

/** Each example of the manual as a program. */
export async function examples(): Promise<string[]> {
  const manual = await readFile(join(ROOT, 'docs', 'client.md'), 'utf8');
  return [...manual.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) =>
    code.startsWith('import') ? code : GIVEN + code,
  );
}
