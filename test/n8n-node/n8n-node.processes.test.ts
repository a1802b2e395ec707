import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/output/formats.ts';
import { OPTION_NAMES } from '../../src/output/option-table.ts';
import { drawnShirt } from '../support/images.ts';
import { reportMissing } from '../support/requirement.ts';
import { ROOT } from '../support/root.ts';
import { plantServer } from '../support/servers.ts';
import { useFolder } from '../support/use-folder.ts';
import { useSharedStack } from '../support/use-stack.ts';

const exec = promisify(execFile);

/** n8n's own packages; 330 MB, so they are installed once. They are no dependencies: docs/adr/0118-n8n-is-a-peer.md. */
const N8N = { 'n8n-core': '2.41.1', 'n8n-workflow': '2.41.0' };
const CACHE = join(ROOT, 'node_modules/.cache', `n8n-${Object.values(N8N).join('-')}`);
const NODE = join(ROOT, 'packages/n8n-node');

/** @returns why n8n is not there, if it cannot be installed */
async function installN8n(): Promise<string | undefined> {
  if (existsSync(CACHE)) return undefined;
  const draft = `${CACHE}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  await writeFile(
    join(draft, 'package.json'),
    JSON.stringify({ private: true, dependencies: N8N }),
  );
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  try {
    await exec('npm', ['install', ...flags], { cwd: draft });
    await rename(draft, CACHE);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    return `n8n cannot be installed: ${(error as Error).message.slice(0, 300)}`;
  }
  return undefined;
}

interface Row {
  json: Record<string, unknown>;
  pairedItem: { item: number };
  mimeType?: string;
  isStored?: boolean;
  base64?: string;
}
interface Field {
  name: string;
  options?: Field[];
  value?: string;
}
interface Run {
  status: string;
  failure?: { name: string; message: string; description?: string; item?: number };
  outputs: Row[][];
  description: { properties: Field[]; iconUrl: string; credentials: { name: string }[] };
  credential: {
    authenticate: { properties: { headers: Record<string, string> } };
    test: { request: { url: string } };
  };
}

const missing = await installN8n();
if (missing) {
  reportMissing('n8n', missing);
  test.skip(`the node in n8n (${missing})`);
} else {
  const { stack, key } = await useSharedStack();
  const folder = await useFolder();
  const { stdout } = await exec('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: NODE,
  });
  const [packed] = JSON.parse(stdout);
  await exec('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
  const shirt = (await drawnShirt({ width: 300, height: 360, format: 'jpeg' })).toString('base64');
  const noImage = Buffer.from('no image').toString('base64');

  /** Runs the packed node in n8n's engine. */
  async function run(
    parameters: object,
    items: object[],
    more: { onError?: string; key?: string; baseUrl?: string } = {},
  ): Promise<Run> {
    const { onError = 'stopWorkflow', ...credentials } = more;
    const child = execFile(process.execPath, [join(ROOT, 'test/n8n-node/run-workflow.cjs')], {
      env: {
        ...process.env,
        NODE_PATH: join(CACHE, 'node_modules'),
        N8N_USER_FOLDER: folder,
        N8N_DIAGNOSTICS_ENABLED: 'false',
        N8N_SENTRY_DSN: '',
      },
    });
    child.stdin?.end(
      JSON.stringify({
        folder: join(folder, 'package'),
        parameters,
        credentials: { baseUrl: stack.url, key, ...credentials },
        items,
        onError,
      }),
    );
    const [said, complaints] = await Promise.all(
      [child.stdout, child.stderr].map((each) => text(each as NodeJS.ReadableStream)),
    );
    const line = said?.slice(said.indexOf('{"status"')) ?? '';
    expect(line, complaints).toContain('"status"');
    return JSON.parse(line);
  }
  const pictureOf = (row: Row | undefined) =>
    sharp(Buffer.from(row?.base64 ?? '', 'base64')).metadata();
  const goingOn = { onError: 'continueRegularOutput' };

  test('it compiles against n8n’s types, and the package is small', async () => {
    const types = join(CACHE, 'node_modules/n8n-workflow/dist/esm/index.d.ts');
    const config = {
      extends: join(NODE, 'tsconfig.json'),
      compilerOptions: {
        paths: { 'n8n-workflow': [types] },
        typeRoots: [join(ROOT, 'node_modules/@types')],
      },
      include: [join(NODE, 'src')],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const said = await exec(tsc, ['-p', folder]).catch((error) => error);
    expect(said.stdout).toBe('');
    expect(packed.files.map(({ path }: { path: string }) => path).sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist/Selvage.node.js',
      'dist/SelvageApi.credentials.js',
      'package.json',
      'selvage.svg',
    ]);
    expect(packed.unpackedSize).toBeLessThan(200_000);
    const manifest = JSON.parse(await readFile(join(NODE, 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(await readFile(join(ROOT, 'package-lock.json'), 'utf8')).not.toContain('n8n');
  });

  test('a background is removed with options, and other items stay', async () => {
    const parameters = {
      options: { format: FORMAT_NAMES.at(-1), backgroundColor: 'white', preset: '' },
    };
    const items = [
      { sku: 1, base64: shirt },
      { sku: 2, base64: noImage },
      { sku: 3 },
      { sku: 4, base64: shirt },
    ];
    const { outputs, status } = await run(parameters, items, goingOn);
    const [rows = []] = outputs;
    expect(status).toBe('success');
    expect(rows.map(({ pairedItem }) => pairedItem)).toEqual(
      [0, 1, 2, 3].map((item) => ({ item })),
    );
    expect(await pictureOf(rows[0])).toMatchObject({
      format: FORMAT_NAMES.at(-1),
      width: 300,
      height: 360,
    });
    expect(rows[3]).toMatchObject({ isStored: true, json: { review: { needed: false } } });
    expect(rows[1]?.json).toEqual({
      error: expect.stringMatching(/^[A-Z]/),
      message: expect.stringMatching(/JPEG/),
    });
    expect(rows[2]?.json.error).toContain('binary');
  });

  test('an error stops the workflow with title and detail, at its item', async () => {
    const { status, failure } = await run({}, [{ base64: shirt }, { base64: shirt }], {
      key: 'sv_nobody',
    });
    expect(status).toBe('error');
    expect(failure).toMatchObject({
      name: 'NodeOperationError',
      message: expect.stringMatching(/key/i),
      description: expect.any(String),
      item: 0,
    });
    expect(JSON.stringify(failure)).not.toContain('sv_nobody');
    const nowhere = await run({}, [{ base64: shirt }], { baseUrl: 'gateway.example' });
    expect(nowhere.failure?.description).toBe('Check the address in the credential');
  });

  test('errors go to the output for errors', async () => {
    const { outputs } = await run({}, [{ base64: noImage }, { base64: shirt }], {
      onError: 'continueErrorOutput',
    });
    const [done, failed] = outputs;
    expect(done?.map(({ mimeType }) => mimeType)).toEqual(['image/png']);
    expect(failed).toMatchObject([
      { json: { message: expect.stringContaining('JPEG') }, pairedItem: { item: 0 } },
    ]);
  });

  const OPERATIONS = ['removeBackground', 'batch'];
  test.each(OPERATIONS)('%s of addresses waits for the end', async (operation) => {
    const bytes = Buffer.from(shirt, 'base64');
    const { origin } = await plantServer(({ url }, response) => {
      const status = url === '/shirt.jpg' ? 200 : 404;
      response.writeHead(status, { 'content-type': 'image/jpeg' }).end(bytes);
    });
    const parameters = {
      operation,
      source: 'address',
      address: `=${origin}/{{ $json.name }}.jpg`,
    };
    const { outputs } = await run(parameters, [{ name: 'shirt' }, { name: 'none' }], goingOn);
    const [rows = []] = outputs;
    expect(await pictureOf(rows[0])).toMatchObject({ format: 'png', width: 300 });
    const json = { message: expect.stringContaining('404') };
    expect(rows[1]).toMatchObject({ pairedItem: { item: 1 }, json });
  });

  test('a batch has a row for each item that has a photo', async () => {
    const items = [{}, { base64: noImage }, { base64: shirt }, { base64: shirt }];
    const { outputs } = await run({ operation: 'batch', options: { crop: true } }, items, goingOn);
    const [rows = []] = outputs;
    expect(rows.map(({ pairedItem }) => pairedItem.item)).toEqual([0, 1, 2, 3]);
    expect(rows.map(({ json }) => 'error' in json)).toEqual([true, true, false, false]);
    expect((await pictureOf(rows[3])).width).toBeLessThan(300);
  });

  test('a garment is classified, and outfits are suggested', async () => {
    const jeans = await run({ operation: 'classify', title: '={{ $json.title }}' }, [
      { title: 'Blue jeans' },
    ]);
    expect(jeans.outputs).toMatchObject([[{ json: { category: { id: 'jeans' } } }]]);
    const items = ['shirt', 'jeans', 'boots', 'sweater'].map((id) => ({ id, category: id }));
    const parameters = { operation: 'suggestOutfits', tempC: 20, further: '{"limit": 1}' };
    const wardrobe = '={{ $json.items }}';
    const found = await run({ ...parameters, wardrobe }, [{ items }]);
    expect(found.outputs).toMatchObject([
      [{ json: { outfits: [{ itemIds: expect.arrayContaining(['jeans']) }] } }],
    ]);
    const broken = await run({ ...parameters, wardrobe: '[{' }, [{}]);
    expect(broken.failure?.message).toContain('"wardrobe" is not JSON');
  });

  test('its fields are the options of the service, and its credential is tested there', async () => {
    const { description, credential } = await run({ operation: 'classify' }, [{}], goingOn);
    const options = description.properties.find(({ name }) => name === 'options')?.options ?? [];
    expect(options.map(({ name }) => name)).toEqual(OPTION_NAMES);
    const formats = options.find(({ name }) => name === 'format')?.options;
    expect(formats?.map(({ value }) => value)).toEqual(FORMAT_NAMES);
    expect(
      existsSync(join(folder, 'package', description.iconUrl.split('/').slice(2).join('/'))),
    ).toBe(true);
    const { headers } = credential.authenticate.properties;
    const ask = async (bearer: string) => {
      const authorization =
        headers.authorization?.replace(/^=/, '').replace('{{$credentials.key}}', bearer) ?? '';
      return (await fetch(stack.url + credential.test.request.url, { headers: { authorization } }))
        .status;
    };
    expect([await ask(key), await ask('sv_nobody')]).toEqual([200, 401]);
  });
}
