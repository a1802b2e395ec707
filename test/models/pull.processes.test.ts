import { createHash, randomBytes } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readCatalog } from '../../models/catalog.ts';
import { listen } from '../support/free-port.ts';
import { type Running, runProgram } from '../support/processes.ts';

const weights = randomBytes(300_000);
const sha256 = createHash('sha256').update(weights).digest('hex');

let home: string;
let models: string;
let server: Server;
/** The `Range` header of each request. */
let port: number;
let ranges: (string | undefined)[];
/** Handles the next requests. */
let answer: RequestListener;

const whole: RequestListener = (_, response) => response.end(weights);
const resumable: RequestListener = (request, response) => {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  response.statusCode = from > 0 ? 206 : 200;
  response.end(weights.subarray(from));
};

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'selvage-pull-'));
  models = join(home, 'models');
  await mkdir(models);
  ranges = [];
  answer = resumable;
  server = createServer((request, response) => {
    ranges.push(request.headers.range);
    answer(request, response);
  });
  port = await listen(server);
  await describeModel({});
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(home, { recursive: true });
});

async function describeModel(changed: object): Promise<void> {
  const model = {
    id: 'far',
    version: '1',
    task: 'cut-out',
    file: 'far.onnx',
    bytes: weights.length,
    sha256,
    licence: 'Apache-2.0',
    nonCommercial: false,
    origin: 'random numbers',
    url: `http://127.0.0.1:${port}/far.onnx`,
    input: { size: 32, scale: 'divide-255', mean: [0, 0, 0], std: [1, 1, 1] },
    output: { post: 'none' },
    ...changed,
  };
  await writeFile(join(models, 'catalog.json'), JSON.stringify({ models: [model] }));
}

const selvageModels = (...args: string[]) =>
  runProgram('src/cli/main.ts', ['models', ...args], { SELVAGE_HOME: home });
const start = (...args: string[]) => selvageModels('pull', ...args);
async function outcomeOf(running: Running) {
  return { code: await running.exited, output: running.output() };
}
const pull = (...args: string[]) => outcomeOf(start(...args));
const files = async () => (await readdir(models)).filter((name) => name !== 'catalog.json').sort();
const arrived = async () => (await readFile(join(models, 'far.onnx'))).equals(weights);

describe('pulling a model', () => {
  test('installs its weights, and a second call downloads nothing', async () => {
    expect(await pull('far')).toMatchObject({ code: 0 });
    expect(await files()).toEqual(['far.onnx']);
    expect(await arrived()).toBe(true);
    const again = await pull('far', '--json');
    expect(again).toMatchObject({ code: 0 });
    expect(JSON.parse(again.output)).toEqual([{ id: 'far', pulled: false }]);
    expect(ranges).toHaveLength(1);
  });

  test('says the licences and the terms of the training data', async () => {
    await describeModel({ codeLicence: 'MIT', trainingData: 'pictures for research' });
    const { output } = await pull('far');
    expect(output).toContain('licence of the weights: Apache-2.0; of the code: MIT');
    expect(output).toContain('trained on: pictures for research');
    await describeModel({ id: 'farther', file: 'farther.onnx', licence: 'NOASSERTION' });
    const { output: unstated } = await pull('farther');
    expect(unstated).toContain('licence of the weights: not stated; of the code: not stated');
  });

  test('every model of the catalogue says what it was trained on', () => {
    const models = readCatalog('nowhere');
    expect(models.filter(({ codeLicence, trainingData }) => !codeLicence || !trainingData)).toEqual(
      [],
    );
  });

  test('resumes an interrupted download', async () => {
    await writeFile(join(models, 'far.onnx.part'), weights.subarray(0, 123_456));
    expect(await pull('far')).toMatchObject({ code: 0 });
    expect(ranges).toEqual(['bytes=123456-']);
    expect(await arrived()).toBe(true);
  });

  test('starts over if the server cannot resume', async () => {
    answer = whole;
    await writeFile(join(models, 'far.onnx.part'), weights.subarray(0, 123_456));
    expect(await pull('far')).toMatchObject({ code: 0 });
    expect(await arrived()).toBe(true);
  });

  test('sends no request if the partial file is complete', async () => {
    await writeFile(join(models, 'far.onnx.part'), weights);
    expect(await pull('far')).toMatchObject({ code: 0 });
    expect(ranges).toEqual([]);
    expect(await arrived()).toBe(true);
  });

  test('keeps the partial file when interrupted, and resumes it', async () => {
    answer = (_, response) => {
      response.write(weights.subarray(0, 100_000)); // and stall
    };
    const running = start('far');
    await untilSize(join(models, 'far.onnx.part'), 100_000);
    expect(await running.end('SIGINT')).toBe(130);
    expect(running.output()).toMatch(/Interrupted/);
    expect(await files()).toEqual(['far.onnx.part']);
    answer = resumable;
    expect(await pull('far')).toMatchObject({ code: 0 });
    expect(ranges).toEqual([undefined, 'bytes=100000-']);
    expect(await arrived()).toBe(true);
  });
});

/** Resolves when the file has grown to that many bytes. */
async function untilSize(file: string, bytes: number): Promise<void> {
  const size = () =>
    readFile(file).then(
      ({ length }) => length,
      () => 0,
    );
  while ((await size()) < bytes) await access(models);
}

describe('rejects', () => {
  test.each([
    { what: 'other bytes', body: () => randomBytes(weights.length) },
    { what: 'too many bytes', body: () => randomBytes(weights.length + 9) },
  ])('$what', async ({ body }) => {
    answer = (_, response) => response.end(body());
    const { code, output } = await pull('far');
    expect(code).toBe(1);
    expect(output).toMatch(/does not match the catalogue/);
    expect(await files()).not.toContain('far.onnx');
    answer = resumable;
    expect(await pull('far')).toMatchObject({ code: 0 });
    expect(await arrived()).toBe(true);
  });

  test('a truncated body, which the next call completes', async () => {
    answer = (_, response) => {
      response.setHeader('content-length', weights.length);
      response.write(weights.subarray(0, 50_000), () => response.destroy());
    };
    const { code, output } = await pull('far');
    expect(code).toBe(1);
    expect(output).toMatch(/run the same command again to resume/);
    answer = resumable;
    expect(await pull('far')).toMatchObject({ code: 0 });
    expect(await arrived()).toBe(true);
  });

  test('a missing address', async () => {
    answer = (_, response) => {
      response.statusCode = 404;
      response.end();
    };
    expect(await pull('far')).toMatchObject({ code: 1, output: expect.stringContaining('404') });
  });

  test('weights for non-commercial use, unless the licence is accepted', async () => {
    await describeModel({ nonCommercial: true, licence: 'LicenseRef-theirs' });
    const { code, output } = await pull('far');
    expect(code).toBe(2);
    expect(output).toMatch(/LicenseRef-theirs.*non-commercial/);
    expect(ranges).toEqual([]);
    expect(await pull('far', '--accept-licence')).toMatchObject({ code: 0 });
    expect(await arrived()).toBe(true);
  });

  test('an unknown model', async () => {
    expect(await pull('near')).toMatchObject({
      code: 1,
      output: expect.stringContaining('"near"'),
    });
  });

  test('an unknown option', async () => {
    expect(await pull('--fast')).toMatchObject({ code: 2 });
  });
});

test('the list shows which models are ready, and their licences', async () => {
  await pull('far');
  const { code, output } = await outcomeOf(selvageModels('list', '--json'));
  expect(code).toBe(0);
  expect(JSON.parse(output)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 'garment-cutout', licence: 'Apache-2.0', ready: true }),
      expect.objectContaining({ id: 'u2netp', ready: false }),
      expect.objectContaining({ id: 'far', ready: true }),
    ]),
  );
});
