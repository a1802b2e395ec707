import { expect, test } from 'vitest';
import { formWith } from '../support/client.ts';
import { drawnShirtOnWood, readPixels } from '../support/images.ts';
import { type IntakeClient, intakeClient, readJob } from '../support/intake.ts';
import { useSharedStack } from '../support/use-stack.ts';

const [WIDTH, HEIGHT] = [200, 240];
/** Over the middle of the shirt. */
const ERASE = {
  mode: 'erase',
  radius: 6,
  points: [
    [100, 110],
    [100, 130],
  ],
};
const DOT = { mode: 'erase', radius: 3, points: [[100, 120]] };

const { stack, intake } = await useSharedStack();
const other = intakeClient(stack, (await stack.key({ client: 'other' })).key);
const shirt = await drawnShirtOnWood({ width: WIDTH, height: HEIGHT, format: 'jpeg' });

async function finishedJob(fields: Record<string, string> = {}): Promise<string> {
  const { id } = await intake.done(shirt, fields);
  return id;
}

interface Sent {
  headers?: Record<string, string>;
  image?: Uint8Array | undefined;
  alpha?: Uint8Array;
  strokes?: object[];
  as?: IntakeClient;
}

function refine(id: string, sent: Sent = {}): Promise<Response> {
  const {
    image,
    alpha,
    strokes,
    headers = {},
    as,
  } = {
    ...{ image: shirt, strokes: [ERASE], as: intake },
    ...sent,
  };
  const body = formWith({ image, alpha, strokes: JSON.stringify(strokes) });
  return as.ask('POST', `/jobs/${id}/refinements`, { body, headers });
}

const undo = (id: string, version: number): Promise<Response> =>
  intake.ask('DELETE', `/jobs/${id}/refinements/${version}`);

const resultOf = async (id: string): Promise<Buffer> =>
  Buffer.from(await (await intake.result(id)).arrayBuffer());

/** The alpha of the job's result in the middle of the stroke. */
const alphaInMiddle = async (id: string) => (await readPixels(await resultOf(id))).middle[3];

interface Answer {
  type?: string;
  refinements?: number;
  results: { cutout: { width: number; bytes: number } };
}
const body = async (response: Response): Promise<Answer> => (await response.json()) as Answer;

test('the result is the newest version; undo goes back one by one', async () => {
  const id = await finishedJob();
  const original = await resultOf(id);
  expect(await alphaInMiddle(id)).toBe(255);
  const first = await body(await refine(id));
  expect(first).toMatchObject({ status: 'succeeded', refinements: 1 });
  expect(await alphaInMiddle(id)).toBe(0);
  expect(first.results.cutout).toMatchObject({ width: WIDTH, bytes: (await resultOf(id)).length });
  const once = await resultOf(id);
  expect(await body(await refine(id, { strokes: [{ ...DOT, mode: 'add' }] }))).toMatchObject({
    refinements: 2,
  });
  expect(await alphaInMiddle(id)).toBe(255);
  expect(await body(await undo(id, 1))).toMatchObject({ type: 'conflict', version: 2 });
  expect((await undo(id, 3)).status).toBe(404);
  expect(await body(await undo(id, 2))).toMatchObject({ refinements: 1 });
  expect((await resultOf(id)).equals(once)).toBe(true);
  expect(await body(await undo(id, 1))).not.toHaveProperty('refinements');
  expect((await resultOf(id)).equals(original)).toBe(true);
  expect((await undo(id, 1)).status).toBe(404);
});

test('a request that is repeated with its Idempotency-Key mends once', async () => {
  const id = await finishedJob();
  const sent = { headers: { 'idempotency-key': `mend-${id}` } };
  const first = await body(await refine(id, sent));
  expect(first).toMatchObject({ refinements: 1 });
  expect(await body(await refine(id, sent))).toEqual(first);
  expect(await body(await intake.ask('GET', `/jobs/${id}`))).toMatchObject({ refinements: 1 });
  const another = await body(await refine(id, { ...sent, strokes: [DOT] }));
  expect(another).toMatchObject({ type: 'idempotency-mismatch' });
});

test('without the photo, which is deleted, the response says so', async () => {
  const id = await finishedJob();
  const missing = await body(await refine(id, { image: undefined }));
  expect(missing).toMatchObject({ status: 410, type: 'gone', errors: [{ pointer: '/image' }] });
  const another = await drawnShirtOnWood({ width: WIDTH, height: HEIGHT, format: 'png' });
  const expected = { status: 400, errors: [{ pointer: '/image' }] };
  expect(await body(await refine(id, { image: another }))).toMatchObject(expected);
});

test('a job of another client is not found, an erased one gone, a classification no image', async () => {
  const id = await finishedJob();
  expect((await refine(id, { as: other })).status).toBe(404);
  expect((await refine(`job_${'0'.repeat(32)}`)).status).toBe(404);
  await intake.erase(id);
  expect((await refine(id)).status).toBe(410);
  expect((await undo(id, 1)).status).toBe(410);
  const classified = await finishedJob({ operations: 'classify' });
  expect((await refine(classified)).status).toBe(404);
});

test('of two at once one wins, and the other is told the version', async () => {
  const id = await finishedJob();
  const both = await Promise.all([refine(id), refine(id, { strokes: [DOT] })]);
  const bodies = await Promise.all(both.map(body));
  const lost = bodies.filter(({ type }) => type === 'conflict');
  // On a slow machine the second may start after the first has ended.
  expect(lost.length + bodies.filter(({ refinements }) => refinements).length).toBe(2);
  for (const one of lost) expect(one).toMatchObject({ status: 409, version: 1 });
  expect((await body(await intake.ask('GET', `/jobs/${id}`))).refinements).toBe(2 - lost.length);
});

test('a cut-out that was cropped needs the alpha of the whole photo', async () => {
  const id = await finishedJob({ options: JSON.stringify({ crop: true }) });
  const expected = { status: 400, errors: [{ pointer: '/alpha' }] };
  expect(await body(await refine(id))).toMatchObject(expected);
  const alpha = await resultOf(await finishedJob());
  const mended = await body(await refine(id, { alpha }));
  expect(mended).toMatchObject({ refinements: 1 });
  expect(mended.results.cutout.width).toBeLessThan(WIDTH);
});

test('a cut-out on a background image cannot be drawn again', async () => {
  const form = formWith({ image: shirt, backgroundImage: shirt });
  const { id } = await readJob(await intake.ask('POST', '/jobs', { body: form }));
  await intake.until(id, 'succeeded');
  expect(await body(await refine(id))).toMatchObject({ status: 409, type: 'conflict' });
});

test('a job has at most 20 refinements', async () => {
  const id = await finishedJob();
  for (let n = 1; n <= 20; n++) expect((await refine(id, { strokes: [DOT] })).status).toBe(200);
  expect(await body(await refine(id))).toMatchObject({ type: 'conflict', version: 20 });
  expect((await undo(id, 20)).status).toBe(200);
  expect((await refine(id)).status).toBe(200);
});

test('erasing a job deletes every version', async () => {
  const id = await finishedJob();
  await refine(id);
  await refine(id, { strokes: [DOT] });
  // The input stays until the end of the job is on Redis's disk.
  await expect.poll(() => stack.stored(id)).toHaveLength(3);
  expect(await body(await intake.erase(id))).toMatchObject({ blobs: 3 });
  expect(await stack.stored(id)).toHaveLength(0);
});
