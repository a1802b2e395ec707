import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { drawnShirt } from '../support/images.ts';
import { run } from '../support/processes.ts';
import { ROOT } from '../support/root.ts';
import { plantServer } from '../support/servers.ts';
import { useFolder } from '../support/use-folder.ts';
import { useSharedStack } from '../support/use-stack.ts';

const MAIN = join(ROOT, 'dist/src/cli/main.js');

/** Its key may classify only. */
const { stack, key } = await useSharedStack();
const folder = await useFolder();
const { key: narrowKey } = await stack.key({ client: 'narrow', scopes: ['taxonomy:classify'] });
await mkdir(join(folder, 'photos'));
const shirt = await drawnShirt({ width: 300, height: 360, format: 'jpeg' });
await writeFile(join(folder, 'photos', 'shirt.jpg'), shirt);
await writeFile(join(folder, 'photos', 'notes.txt'), 'secret');
await writeFile(join(folder, 'outside.jpg'), shirt);
await symlink(join(folder, 'outside.jpg'), join(folder, 'photos', 'link.jpg'));

const environment = () => ({ SELVAGE_URL: stack.url, SELVAGE_HOME: join(folder, 'home') });

async function openClient(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

const overStdio = (): Promise<Client> =>
  openClient(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp', '--folder', join(folder, 'photos')],
      env: { ...environment(), SELVAGE_KEY: key },
    }) as Transport,
  );

async function call(client: Client, name: string, input: object) {
  const { content, isError, structuredContent } = await client.callTool({
    name,
    arguments: { ...input },
  });
  const parts = content as { type: string; text?: string; data?: string; mimeType?: string }[];
  const text = parts.find(({ type }) => type === 'text')?.text ?? '';
  return { text, image: parts.find(({ type }) => type === 'image'), isError, structuredContent };
}

describe('over standard streams', () => {
  test('the tools are listed with what they take', async () => {
    const { tools } = await (await overStdio()).listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'remove_background',
      'classify_garment',
      'suggest_outfits',
    ]);
    expect(tools[0]?.inputSchema.properties).toHaveProperty('backgroundColor');
  });

  test('a background is removed, into a file or into the answer', async () => {
    const client = await overStdio();
    const input = { path: 'shirt.jpg', format: 'webp', backgroundColor: 'white' };
    const saved = await call(client, 'remove_background', { ...input, output: 'cut/shirt.webp' });
    const file = join(folder, 'photos', 'cut', 'shirt.webp');
    expect(JSON.parse(saved.text)).toMatchObject({ file, review: { needed: false } });
    expect(await sharp(file).metadata()).toMatchObject({ format: 'webp', width: 300, height: 360 });
    const { image } = await call(client, 'remove_background', { path: 'shirt.jpg' });
    expect(image?.mimeType).toBe('image/png');
    expect(
      Buffer.from(image?.data ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    const again = await call(client, 'remove_background', { ...input, output: 'cut/shirt.webp' });
    expect(again).toMatchObject({ isError: true, text: expect.stringContaining('exists already') });
  });

  test('the service fetches a link', async () => {
    const bytes = await readFile(join(folder, 'photos', 'shirt.jpg'));
    const { origin } = await plantServer((_, response) => {
      response.writeHead(200, { 'content-type': 'image/jpeg' }).end(bytes);
    });
    const input = { url: `${origin}/shirt.jpg`, output: 'from-link.png' };
    const { text } = await call(await overStdio(), 'remove_background', input);
    expect(JSON.parse(text)).toMatchObject({ mediaType: 'image/png' });
  });

  test('nothing outside of the folder is read or written, and no other file', async () => {
    const client = await overStdio();
    for (const path of ['../outside.jpg', 'link.jpg', join(folder, 'outside.jpg')]) {
      const { isError, text } = await call(client, 'remove_background', { path });
      expect([isError, text]).toEqual([true, expect.stringMatching(/is outside|no file/)]);
    }
    const notes = await call(client, 'classify_garment', { path: 'notes.txt' });
    expect([notes.isError, notes.text]).toEqual([true, expect.stringContaining('no JPEG')]);
    const escaping = { path: 'shirt.jpg', output: '../escaped.png' };
    expect(await call(client, 'remove_background', escaping)).toMatchObject({ isError: true });
    expect(await readdir(folder)).not.toContain('escaped.png');
  });

  test('a garment is classified, and outfits are suggested', async () => {
    const client = await overStdio();
    const jeans = await call(client, 'classify_garment', { title: 'Blue jeans', locale: 'de' });
    expect(jeans.structuredContent).toMatchObject({ category: { id: 'jeans' } });
    const items = ['shirt', 'jeans', 'boots', 'sweater'].map((id) => ({ id, category: id }));
    const found = await call(client, 'suggest_outfits', { items, tempC: 20, limit: 1 });
    expect(found.structuredContent).toMatchObject({
      outfits: [{ itemIds: expect.arrayContaining(['jeans']) }],
    });
  });
});

describe('over HTTP', () => {
  async function startHttp(): Promise<URL> {
    const server = run(process.execPath, [MAIN, 'mcp', '--http', '0'], environment());
    onTestFinished(async () => void (await server.end()));
    return new URL(await server.line((line) => line.startsWith('http')));
  }
  const withKey = (url: URL, bearer: string): Promise<Client> =>
    openClient(
      new StreamableHTTPClientTransport(url, {
        requestInit: { headers: { authorization: `Bearer ${bearer}` } },
      }) as Transport,
    );

  test('each caller has the scopes of its own key, and no files', async () => {
    const url = await startHttp();
    const base64 = (await readFile(join(folder, 'photos', 'shirt.jpg'))).toString('base64');
    const client = await withKey(url, key);
    const { image } = await call(client, 'remove_background', { base64 });
    expect(image?.mimeType).toBe('image/png');
    const file = await call(client, 'remove_background', { path: 'shirt.jpg' });
    expect(file).toMatchObject({ isError: true, text: expect.stringContaining('reads no files') });
    const narrow = await withKey(url, narrowKey);
    const refused = await call(narrow, 'remove_background', { base64 });
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringContaining('(insufficient-scope'),
    });
    expect(await call(narrow, 'classify_garment', { title: 'Jeans' })).not.toHaveProperty(
      'isError',
      true,
    );
  });

  test('requests without a key, of pages and of other kinds are refused', async () => {
    const url = await startHttp();
    const send = async (method: string, headers: Record<string, string>, body: string | null) =>
      (await fetch(url, { method, headers, body })).status;
    const authorization = `Bearer ${key}`;
    expect(await send('POST', {}, '{}')).toBe(401);
    expect(await send('POST', { authorization, origin: 'https://evil.example' }, '{}')).toBe(403);
    expect(await send('GET', { authorization }, null)).toBe(405);
    expect(await send('POST', { authorization }, 'no json')).toBe(400);
  });
});
