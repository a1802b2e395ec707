import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { drawnFigure } from '../support/figure.ts';
import { freePort } from '../support/free-port.ts';
import { drawnShirt } from '../support/images.ts';
import { plantServer, serve, silence } from '../support/servers.ts';
import { useFolder } from '../support/use-folder.ts';
import { useSharedStack } from '../support/use-stack.ts';
import type { CommandResult } from './command.ts';
import { parseJsonLines, selvage, startSelvage, waitForExit } from './command.ts';

const { stack, key, sendJson } = await useSharedStack();
const folder = await useFolder();
await writeFile(join(folder, 'key'), `${key}\n`);
const env = { SELVAGE_HOME: join(folder, 'home'), SELVAGE_URL: stack.url, SELVAGE_KEY: key };
const sharpShirt = await drawnShirt({ width: 300, height: 360, format: 'png' });
/** A photo whose cut-out a person should look at. */
const blurred = await sharp(sharpShirt).blur(8).jpeg().toBuffer();
await mkdir(join(folder, 'photos'));
for (const width of [300, 320]) {
  const shirt = await drawnShirt({ width, height: 360, format: 'jpeg' });
  await writeFile(join(folder, 'photos', `shirt-${width}.jpg`), shirt);
}

const at = (...path: string[]): string => join(folder, ...path);
const run = (args: string[], more: NodeJS.ProcessEnv = {}): Promise<CommandResult> =>
  selvage(args, { ...env, ...more });

describe('remove', () => {
  test('produces the same bytes on the server and locally, with output options', async () => {
    const options = ['--background', 'teal', '--crop-margin', '5%', '--format', 'webp', '--quiet'];
    const args = ['remove', at('photos'), ...options];
    const both = [run([...args, '-o', at('there')]), run([...args, '-o', at('here'), '--local'])];
    const silent = { code: 0, stdout: '', stderr: '' };
    expect(await Promise.all(both)).toEqual([silent, silent]);
    for (const name of ['shirt-300.webp', 'shirt-320.webp']) {
      const there = await readFile(at('there', name));
      expect(there.equals(await readFile(at('here', name)))).toBe(true);
    }
  });

  test('takes the options of a preset, and names files by its format', async () => {
    const preset = { options: { format: 'jpeg', backgroundColor: '#00ff00' } };
    expect((await sendJson('PUT', '/intake/v1/presets/shop', preset)).status).toBe(200);
    const remove = (to: string, ...more: string[]) =>
      run(['remove', at('photos', 'shirt-300.jpg'), '-o', at(to), '--preset', 'shop', ...more]);
    const cornerOf = async (name: string) => {
      const raw = await sharp(at('preset', name)).raw().toBuffer();
      return [...raw.subarray(0, 3)];
    };
    expect(await remove('preset')).toMatchObject({ code: 0 });
    const [red = 255, green = 0] = await cornerOf('shirt-300.jpg');
    expect([red < 10, green > 245]).toEqual([true, true]);
    // What is given here wins.
    await remove('preset', '--format', 'png', '--background', '#0000ff');
    expect(await cornerOf('shirt-300.png')).toEqual([0, 0, 255]);
    const wrong = await run(['remove', at('photos'), '-o', at('none'), '--preset', 'none']);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('preset') });
    const local = await remove('local', '--local');
    expect(local).toMatchObject({ code: 2, stderr: expect.stringContaining('--preset') });
  });

  test('Ctrl-C aborts requests and leaves no partial file', async () => {
    const planted = await plantServer(silence);
    const args = ['remove', at('photos'), '-o', at('interrupted'), '--server', planted.origin];
    const child = startSelvage(args, env);
    const end = waitForExit(child);
    await expect.poll(() => planted.requests.length).toBe(2);
    child.kill('SIGINT');
    expect(await end).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/2 not started|Interrupted/),
    });
    expect(await readdir(at('interrupted'))).toEqual(['selvage-remove.ndjson']);
  });
});

describe('calls of the API', () => {
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };

  test('a job is created, waited for, listed, downloaded and deleted', async () => {
    const photo = at('photos', 'shirt-300.jpg');
    const job = await json('jobs', 'create', photo, '--format', 'webp', '--wait');
    expect(job).toMatchObject({ status: 'succeeded', options: { format: 'webp' } });
    const { jobs } = await json('jobs', 'list');
    expect(jobs.map(({ id }: { id: string }) => id)).toEqual([job.id]);
    await json('jobs', 'result', job.id, '-o', at('job.webp'));
    expect(await sharp(at('job.webp')).metadata()).toMatchObject({ format: 'webp', width: 300 });
    // The result, and the input as long as it outlives the end.
    const { id, blobs } = await json('jobs', 'delete', job.id);
    expect([id, blobs > 0]).toEqual([job.id, true]);
    const { code, stderr } = await run(['jobs', 'get', job.id, '--json']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('(gone, request ')]);
  });

  test('pages are joined up to the limit', async () => {
    const image = at('photos', 'shirt-300.jpg');
    for (let i = 0; i < 3; i++) await run(['jobs', 'create', image]);
    const listed = await run(['jobs', 'list', '--limit', '2', '--json']);
    expect(JSON.parse(listed.stdout).jobs).toHaveLength(2);
    expect(listed.stderr).toMatch(/There may be more: --limit 20/);
  });

  test('presets are stored from a file, shown and deleted', async () => {
    await writeFile(at('preset.json'), JSON.stringify({ options: { format: 'webp' } }));
    await json('presets', 'put', 'mine', at('preset.json'));
    expect(await json('presets', 'get', 'mine')).toMatchObject({ options: { format: 'webp' } });
    const { stdout } = await run(['presets', 'list']);
    expect(stdout).toMatch(/^name +changedAt\nmine +\S/);
    expect(await json('presets', 'delete', 'mine')).toEqual({});
    const { code, stderr } = await run(['presets', 'get', '../keys']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('(not-found, request ')]);
  });

  test('people decide about rows of a batch', async () => {
    await mkdir(at('doubtful'), { recursive: true });
    await writeFile(at('doubtful', 'blurred.jpg'), blurred);
    const args = ['batch', at('doubtful'), '-o', at('doubtful-out'), '--json'];
    const { id } = JSON.parse((await run(args)).stdout);
    const { rows } = await json('review', 'list', id);
    expect(rows).toMatchObject([{ row: 0, decision: 'pending', revision: 0 }]);
    await json('review', 'decide', id, '0', 'rejected', '--note', 'blurred');
    expect(await json('review', 'get', id, '0')).toMatchObject({ decision: 'rejected' });
    const again = await run(['review', 'decide', id, '0', 'approved']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('(conflict')]);
    await json('review', 'decide', id, '0', 'approved', '--revision', '1');
    expect(await json('review', 'summary', id)).toMatchObject({ review: { approved: 1 } });
  });

  test('webhooks and computations', async () => {
    expect((await json('webhooks', 'secret')).secret).toMatch(/^whsec_/);
    expect((await json('webhooks', 'status')).secrets).toHaveLength(1);
    expect(await json('webhooks', 'deliveries')).toEqual({ deliveries: [] });
    const { code, stderr } = await run(['day', at('preset.json')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('/items')]);
  });

  test('webhooks listen passes events on as the service signs them, and verifies them', async () => {
    const { secret } = await json('webhooks', 'secret');
    const verified: unknown[] = [];
    const { origin } = await plantServer(async (request, response) => {
      const body = await text(request);
      verified.push(new Webhook(secret).verify(body, request.headers as Record<string, string>));
      response.writeHead(204).end();
    });
    const listen = async (more: NodeJS.ProcessEnv, ...args: string[]) => {
      const command = startSelvage(['webhooks', 'listen', '--count', '1', ...args], {
        ...env,
        ...more,
      });
      const said = once(command.stderr!, 'data');
      const result = waitForExit(command);
      expect(String(await said)).toContain('Listening for events');
      await json('webhooks', 'test', 'https://shop.example/hook', '--type', 'batch.completed');
      return result;
    };
    const right = { SELVAGE_WEBHOOK_SECRET: secret };
    const passedOn = await listen(right, '--forward-to', `${origin}/hook`);
    expect([passedOn.code, passedOn.stdout]).toEqual([
      0,
      expect.stringMatching(/^batch\.completed {2}evt_\S+ {2}verified {2}-> 204 in \d+ ms\n$/),
    ]);
    expect(verified).toMatchObject([{ type: 'batch.completed', data: { test: true } }]);
    const other = { SELVAGE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}` };
    expect((await listen(other)).stdout).toContain('signed with another secret');
    const nobody = await listen({}, '--forward-to', 'http://127.0.0.1:1');
    expect(nobody.stdout).toMatch(/not verified {2}not sent: /);
    const earlier = await run(['webhooks', 'listen', '--all', '--count', '2', '--json']);
    expect(parseJsonLines(earlier.stdout)).toMatchObject([
      { type: 'batch.completed', event: { data: { test: true } } },
      { type: 'batch.completed' },
    ]);
    const malformed = await run(['webhooks', 'listen', '--forward-to', 'shop']);
    expect([malformed.code, malformed.stderr]).toEqual([2, expect.stringContaining('http://')]);
  });
});

describe('refine', () => {
  const strokes = [{ mode: 'erase', radius: 8, points: [[150, 180]] }];
  const refine = (photo: string, output: string, ...more: string[]) => {
    const inputs = ['--alpha', at('alpha.png'), '--strokes', at('strokes.json')];
    return run(['refine', at('photos', photo), ...inputs, '-o', at(output), ...more]);
  };

  test('writes the mended cut-out, and says what is wrong', async () => {
    await run(['remove', at('photos', 'shirt-300.jpg'), '-o', at('cut')]);
    await writeFile(at('alpha.png'), await readFile(at('cut', 'shirt-300.png')));
    await writeFile(at('strokes.json'), JSON.stringify(strokes));
    const { code, stdout } = await refine('shirt-300.jpg', 'mended.png', '--json');
    const [line] = parseJsonLines(stdout);
    const mended = await readFile(at('mended.png'));
    expect([code, line]).toMatchObject([0, { output: at('mended.png'), bytes: mended.length }]);
    const raw = await sharp(mended).raw().toBuffer();
    expect(raw[4 * (180 * 300 + 150) + 3]).toBe(0);
    const again = await refine('shirt-300.jpg', 'mended.png');
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
    const other = await refine('shirt-320.jpg', 'other.png');
    expect(other.stderr).toContain('alpha');
    expect(other.code).not.toBe(0);
    await writeFile(at('strokes.json'), '[{"mode":"paint","radius":8,"points":[[1,1]]}]');
    const wrong = await refine('shirt-300.jpg', 'wrong.png');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('strokes.json') });
  });
});

describe('split', () => {
  beforeAll(async () => {
    await mkdir(at('outfits'));
    await writeFile(at('outfits', 'figure.png'), await drawnFigure(200, 400));
    await writeFile(at('outfits', 'broken.jpg'), 'no photo');
  });

  test('writes a file for each garment, and a wardrobe that outfits takes', async () => {
    const wardrobe = ['--wardrobe', at('wardrobe.json')];
    const args = ['split', at('outfits'), '-o', at('garments'), ...wardrobe, '--json'];
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(6);
    expect(stderr).toMatch(/broken\.jpg: left out: text/);
    const lines = parseJsonLines(stdout);
    expect(lines).toHaveLength(2);
    expect(lines).toContainEqual(
      expect.objectContaining({ file: at('outfits', 'broken.jpg'), status: 'left-out' }),
    );
    const done = lines.find(({ status }) => status === 'succeeded');
    expect(done).toMatchObject({
      output: at('garments', 'figure.json'),
      person: true,
      garments: expect.arrayContaining([expect.objectContaining({ region: 'bottom' })]),
    });
    const { garments } = JSON.parse(await readFile(at('garments', 'figure.json'), 'utf8'));
    const names: string[] = garments.map(
      ({ cutout }: { cutout: { file: string } }) => `figure-${cutout.file}`,
    );
    const expected = [...names, 'figure.json', 'selvage-split.ndjson'].sort();
    expect((await readdir(at('garments'))).sort()).toEqual(expected);
    const { width } = await sharp(at('garments', names[0]!)).metadata();
    expect(width).toBe(garments[0].box.width);
    const outfits = await run(['outfits', ...wardrobe, '--temp', '20', '--json']);
    expect(outfits).toMatchObject({ code: 0, stderr: '' });
  });

  test('replaces nothing without --force', async () => {
    const args = ['split', at('outfits', 'figure.png'), '-o', at('garments')];
    const there = expect.stringMatching(/1 already there \(--force/);
    expect(await run(args)).toMatchObject({ code: 0, stderr: there });
    expect(await run([...args, '--force', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('Ctrl-C leaves no partial file; without a folder it is wrong usage', async () => {
    const planted = await plantServer(silence);
    const args = ['split', at('outfits', 'figure.png'), '--server', planted.origin];
    expect(await run(args)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/-o <folder>/),
    });
    const child = startSelvage([...args, '-o', at('split-interrupted')], env);
    const end = waitForExit(child);
    await expect.poll(() => planted.requests.length).toBe(1);
    child.kill('SIGINT');
    expect(await end).toMatchObject({ code: 130 });
    expect(await readdir(at('split-interrupted'))).toEqual(['selvage-split.ndjson']);
  });
});

test('a photo of a person is cut out without skin and hair, on the server and locally', async () => {
  await mkdir(at('worn'));
  await writeFile(at('worn', 'figure.png'), await drawnFigure(200, 400));
  const args = ['remove', at('worn'), '--subject', 'garment', '--quiet'];
  const silent = { code: 0, stdout: '', stderr: '' };
  expect(await run([...args, '-o', at('worn-there')])).toEqual(silent);
  expect(await run([...args, '-o', at('worn-here'), '--local'])).toEqual(silent);
  const there = await readFile(at('worn-there', 'figure.png'));
  expect(there.equals(await readFile(at('worn-here', 'figure.png')))).toBe(true);
  const wrong = await run([...args, '--subject', 'head', '-o', at('none')]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/accessory/) });
});

describe.concurrent('output', () => {
  test('JSON and nothing else on standard output', async () => {
    const { code, stdout } = await run(['usage', '--json', '--key-file', at('key')], {
      SELVAGE_KEY: '',
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      client: expect.stringMatching(/^tests-/),
      quota: { limit: 1_000_000 },
    });
  });

  test('a classification as text', async () => {
    const words = ['--title', 'Blaues T-Shirt', '--locale', 'de'];
    const { code, stdout } = await run(['classify', at('photos', 'shirt-300.jpg'), ...words]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^garment +T-shirt \(\d+ %, fused\)\ncolours +/m);
  });

  test('outfits as text', async () => {
    const ids = ['sweater', 'shirt', 'jeans', 'boots', 'down_jacket', 'scarf'];
    await writeFile(
      at('w.json'),
      JSON.stringify({ items: ids.map((id) => ({ id, category: id })) }),
    );
    const args = ['outfits', '--wardrobe', at('w.json'), '--temp', '5', '--condition', 'rain'];
    const { code, stdout } = await run(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^1\. .*, \d+ of 100\n {3}sweater, shirt, jeans, boots\n {3}outside add down_jacket, scarf$/m,
    );
    const placed = await run([...args, '--occasion', 'outdoor', '--json']);
    expect(JSON.parse(placed.stdout)).toMatchObject({
      plan: 'outdoor',
      place: { why: 'occasion' },
    });
    const wrong = await run([...args, '--profile', 'chilly', '--json']);
    expect(wrong).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/thermalProfile/),
    });
  });

  test('a healthy installation', async () => {
    const { code, stdout } = await run(['doctor'], {
      SELVAGE_HOME: stack.home,
      REDIS_URL: stack.redis.url,
      PORT: new URL(stack.url).port,
    });
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/^fail/m);
    expect(stdout).toMatch(/^ok {4}worker +1 alive, 1 images at once: garment-cutout/m);
    expect(stdout).toMatch(/^ok {4}port +the gateway responds/m);
  });
});

describe.concurrent('exit codes', () => {
  test('4: a key without the scope', async () => {
    const { key } = await stack.key({ scopes: ['taxonomy:classify'] });
    const result = await run(['remove', at('photos'), '-o', at('none')], { SELVAGE_KEY: key });
    expect(result).toMatchObject({ code: 4, stdout: '' });
    expect(result.stderr).toMatch(/background-removal:process.*\(insufficient-scope, request /);
  });

  test('5: an exhausted quota stops the command', async () => {
    const { key } = await stack.key({ client: 'poor', quotaPerDay: 1 });
    const args = ['remove', at('photos'), '-o', at('poor'), '--json', '--jobs', '1'];
    const result = await run(args, { SELVAGE_KEY: key });
    expect(result).toMatchObject({ code: 5, stderr: expect.stringMatching(/midnight UTC/) });
    expect(parseJsonLines(result.stdout)).toHaveLength(1);
  });

  test('3: no server responds', async () => {
    const result = await run(['usage'], { SELVAGE_URL: `http://127.0.0.1:${await freePort()}` });
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toMatch(/Check the address/);
  });
});

describe('batch', () => {
  test('of a folder, resumed after --detach', async () => {
    const detached = await run(['batch', at('photos'), '--detach', '--json']);
    expect(detached.code).toBe(0);
    const { id } = JSON.parse(detached.stdout);
    const result = await run(['batch', '--resume', id, '-o', at('batch'), '--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toMatchObject({
      id,
      status: 'completed',
      counts: { succeeded: 2 },
      unsaved: 0,
      toCheck: 0,
      repeated: 1, // the same drawing in two sizes
    });
    const reports = ['errors', 'manifest', 'results'].map((name) => `${id}.${name}.ndjson`);
    expect((await readdir(at('batch'))).sort()).toEqual([
      ...reports,
      'shirt-300.png',
      'shirt-320.png',
    ]);
    const again = await run(['batch', '--resume', id, '-o', at('batch'), '--quiet']);
    expect(again).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('of outfits: a file for each garment, and their description', async () => {
    await mkdir(at('selfies'));
    await writeFile(at('selfies', 'figure.png'), await drawnFigure(200, 400));
    const args = ['batch', at('selfies'), '-o', at('worn-batch'), '--operations', 'separate'];
    const { code, stdout } = await run([...args, '--json']);
    expect(code).toBe(0);
    const { id } = JSON.parse(stdout);
    const { person, garments } = JSON.parse(
      await readFile(at('worn-batch', 'figure.json'), 'utf8'),
    );
    expect(person).toBe(true);
    expect(garments.length).toBeGreaterThan(1);
    const names = garments.map(
      ({ group }: { group: string }, index: number) => `figure-${index}-${group}.png`,
    );
    const reports = ['errors', 'manifest', 'results'].map((name) => `${id}.${name}.ndjson`);
    const expected = [...reports, ...names, 'figure.json'].sort();
    expect((await readdir(at('worn-batch'))).sort()).toEqual(expected);
    const { width, height } = await sharp(at('worn-batch', names[0])).metadata();
    expect(garments[0].box).toMatchObject({ width, height });

    await rm(at('worn-batch', names[1]));
    const again = await run(['batch', '--resume', id, '-o', at('worn-batch'), '--quiet']);
    expect(again).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await readdir(at('worn-batch'))).sort()).toEqual(expected);
  });

  test('accounts for every line of a shop’s export by its number', async () => {
    const { origin } = await plantServer(serve(blurred, { 'content-type': 'image/jpeg' }));
    const gone = await plantServer((_, response) => response.writeHead(404).end());
    const lines = [
      'Handle,Title,Image Src',
      `hat,Hat,${origin}/1.jpg`,
      `hat,,${origin}/2.jpg`,
      ',No handle,',
      `cap,Cap,${gone.origin}/3.jpg`,
      `hat,Hat again,${origin}/4.jpg`,
      'bag,Bag,',
    ];
    await writeFile(at('shopify.csv'), `${lines.join('\n')}\n`);
    const ended = await run(['batch', at('shopify.csv'), '-o', at('shopify'), '--json']);
    expect(ended.code).toBe(1);
    const { counts, unsent } = JSON.parse(ended.stdout);
    expect(counts).toMatchObject({ accepted: 3, succeeded: 2, failed: 1 });
    expect(unsent.map(({ line }: { line: number }) => line)).toEqual([6, 7]);
    expect(ended.stderr).toMatch(/^line 5 \(cap\): .*404/m);
    expect(ended.stderr).toMatch(/^line 6 \(hat\): An earlier row has the same id$/m);
    expect(ended.stderr).toMatch(/^line 7 \(bag\): The row has no/m);
  });

  test('of a file with invalid rows', async () => {
    const planted = await plantServer(serve(blurred, { 'content-type': 'image/jpeg' }));
    const rows = `../sku/1,${planted.origin}/a.jpg\n,${planted.origin}/b.jpg\n`;
    await writeFile(at('rows.csv'), `custom_id,image_url\n${rows}`);
    const args = ['batch', at('rows.csv'), '-o', at('rows'), '--json'];
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(1);
    expect(stderr).toBe('line 3: The row has no id\n');
    expect(JSON.parse(stdout)).toMatchObject({
      counts: { succeeded: 1 },
      unsent: [{ line: 3 }],
      toCheck: 1,
    });
    expect(await readdir(at('rows'))).toContain('__sku_1.png');
  });
});

test('a feed is imported, reported on and exported', async () => {
  const planted = await plantServer(serve(blurred, { 'content-type': 'image/jpeg' }));
  await writeFile(
    at('feed.csv'),
    `id,title,image_link\nsku-1,Shirt,${planted.origin}/a.jpg\nsku-2,Hat,\n`,
  );
  const imported = await run(['feed', 'import', at('feed.csv'), '--background', 'white', '--json']);
  expect(imported.code).toBe(1); // of two rows one has no image
  const { feedId, counts } = JSON.parse(imported.stdout);
  expect(counts).toMatchObject({ rows: 2, changed: 1, rejected: 1 });
  const report = await run(['feed', 'report', feedId]);
  expect(report.stdout).toMatch(
    /^2 +sku-1 +http.*changed +please check: .*The photo is blurred\b/m,
  );
  expect(report.stdout).toMatch(/^3 +sku-2 +rejected +The row has no image_link$/m);
  const { code } = await run(['feed', 'export', feedId, '-o', at('export.csv'), '--quiet']);
  expect(code).toBe(0);
  expect(await readFile(at('export.csv'), 'utf8')).toMatch(
    /^sku-1,Shirt,http.*\/intake\/v1\/files\//m,
  );
});

test('a feed is changed, listed, canceled and deleted', async () => {
  const shop = await plantServer(silence);
  const url = `${shop.origin}/feed.csv`;
  const { stdout: id } = await run(['feed', 'import', url, '--detach']);
  const feed = id.trim();
  await writeFile(
    at('access.json'),
    JSON.stringify({ username: 'feeds', password: 'a secret', userAgent: 'ShopFeeds/1.0' }),
  );
  const set = async (...options: string[]) => {
    const { code, stdout, stderr } = await run(['feed', 'set', feed, '--json', ...options]);
    return code === 0 ? JSON.parse(stdout) : { code, stderr };
  };
  const canceled = await run(['feed', 'cancel', feed]);
  expect(canceled.stdout).toMatch(new RegExp(`^${feed} cancel(ed|ing)$`, 'm'));

  const schedule = ['--schedule', '30 4 * * *', '--format', 'csv', '--quality', 'fast'];
  const changed = await set('--access', at('access.json'), '--mapping', 'shopify', ...schedule);
  expect(changed).toMatchObject({
    format: 'csv',
    mapping: { preset: 'shopify' },
    options: { quality: 'fast' },
    schedule: '30 4 * * *',
    access: { origin: shop.origin, headers: ['authorization'], userAgent: 'ShopFeeds/1.0' },
  });
  expect(JSON.stringify(changed)).not.toContain('a secret');
  expect((await run(['feed', 'list'])).stdout).toMatch(
    new RegExp(`^${feed} +${url} +30 4 \\* \\* \\* +cancel`, 'm'),
  );
  const cleared = await set('--access', 'none', '--mapping', 'none', '--schedule', 'none');
  for (const name of ['access', 'mapping', 'schedule']) expect(cleared).not.toHaveProperty(name);
  expect(await set()).toMatchObject({ code: 2, stderr: expect.stringContaining('--mapping') });
  expect(await set('--access', at('missing.json'))).toMatchObject({
    stderr: expect.stringContaining('missing.json'),
  });
  expect(await set('--webhook', 'nonsense')).toMatchObject({
    stderr: expect.stringContaining('webhook'),
  });

  expect((await run(['feed', 'delete', feed])).stdout.trim()).toBe(`${feed} deleted`);
  expect((await run(['feed', 'list'])).stdout).not.toContain(feed);
});
