import { setTimeout as pause } from 'node:timers/promises';
import { createRandom, drawWardrobe } from '../../look/wardrobes.ts';
import { ask, filesForm, json, jsonOf, type Question } from './ask.ts';
import type { Attack, Figure, Scene } from './attack.ts';
import { memoryFigure, responseFigure } from './figures.ts';

const MIB = 2 ** 20;
const MAX_JOB_MILLIS = 60_000;
const REMOVALS = '/bg/v1/background-removals';

/** A request that is cheap to send and takes long to reject. */
interface HeavyRequest {
  what: string;
  times: number;
  path: string;
  question: Question;
}

/** A JPEG that consists of its first marker and zeros: no header is in it, however long one looks. */
const emptyJpeg = (mib: number): Buffer =>
  Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.alloc(mib * MIB)]);

/** 26 MiB in full: what an image of `MAX_IMAGE_BYTES` has in base64. */
const base64Body = (member: string): Buffer => Buffer.from(`{"image_base64":"${member}"}`);

const WEATHER = { tempC: 12, windMs: 3, humidityPct: 60, condition: 'cloudy' };
const PERSON = { met: 1.4, occasion: 'casual' };

/** A wardrobe in which every id is unknown: about as many as fit into a body. */
function unknownIds(items: number): object {
  const unknown = (at: number) => `zqxjkvbwpfghyu${at}`;
  const list = <T>(length: number, of: (id: string) => T) =>
    Array.from({ length }, (_, at) => of(unknown(at)));
  return {
    weather: WEATHER,
    ...PERSON,
    items: Array.from({ length: items }, (_, i) => ({
      id: `i${i}`,
      category: unknown(i),
      pattern: unknown(i),
      occasions: list(32, (id) => id),
      materials: list(8, (id) => ({ id })),
      colors: list(8, (family) => ({ family })),
    })),
  };
}

const longDay = (items: number) => ({
  hours: Array.from({ length: 48 }, (_, at) => ({
    weather: { ...WEATHER, tempC: (at % 24) - 4 },
    met: PERSON.met,
  })),
  occasion: PERSON.occasion,
  items: drawWardrobe(createRandom(1), items),
});

/** As many values as a JSON body may have. */
const manyValues = (count: number): string => `{"weather":[${'1,'.repeat(count)}1]}`;

/** The requests in order, 57 with those about batches and jobs: the rate of one key. */
async function heavyRequests({ scale }: Scene): Promise<HeavyRequest[]> {
  const chars = scale(26, 6) * MIB;
  const empty = emptyJpeg(scale(19, 4));
  const five = Array.from({ length: 5 }, (): [string, Buffer] => ['f', empty]);
  // biome-ignore format: a table reads best aligned
  return [
    { what: 'an empty JPEG', times: 1, path: REMOVALS, question: await filesForm([['image', empty]]) },
    { what: 'five empty JPEGs in a batch', times: 1, path: 'batch', question: await filesForm(five) },
    { what: 'base64 with spaces', times: scale(12, 4), path: REMOVALS, question: jsonBody(base64Body('AAA '.repeat(chars / 4))) },
    { what: 'base64', times: scale(32, 6), path: REMOVALS, question: jsonBody(base64Body('AAAA'.repeat(chars / 4))) },
    { what: '50,000 unknown ids', times: 1, path: '/look/v1/candidates', question: json(unknownIds(1000)) },
    { what: 'a day of 1,000 items', times: 1, path: '/look/v1/day', question: json(longDay(1000)) },
    { what: 'JSON of many values', times: scale(4, 2), path: '/look/v1/targets', question: jsonBody(Buffer.from(manyValues(199_000))) },
  ];
}

const jsonBody = (body: Buffer): Question => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
});

/** Opens a batch; resolves with the path of its rows. */
async function rowsPath(url: string, key: string): Promise<string> {
  const { id } = jsonOf(await ask(`${url}/intake/v1/batches`, { ...json({}), key }));
  return `/intake/v1/batches/${id}/items`;
}

/** Five jobs with the empty JPEG by URL: the worker's turn. */
async function byUrl(scene: Scene, key: string): Promise<Figure> {
  const { gateway, shop, watch, scale } = scene;
  const imageUrl = shop.put('/empty.jpg', { body: emptyJpeg(scale(19, 4)), type: 'image/jpeg' });
  const made = await Promise.all(
    Array.from({ length: 5 }, () =>
      ask(`${gateway.url}/intake/v1/jobs`, { ...json({ imageUrl }), key }),
    ),
  );
  const ids = made.map((answer) => jsonOf(answer).id);
  const isPending = async (id: unknown) => {
    const { status } = jsonOf(await ask(`${gateway.url}/intake/v1/jobs/${id}`, { key }));
    return status === 'queued' || status === 'running';
  };
  const until = performance.now() + MAX_JOB_MILLIS;
  for (const id of ids)
    while (performance.now() < until && (await isPending(id))) await pause(1000);
  const { worker } = await watch.lap();
  return responseFigure(scene, '5 × an empty JPEG by URL, of the worker', worker);
}

/**
 * The attacker has one key of 60 requests a minute. It sends bodies that are small work to send and long work to
 * reject. `/livez` of gateway and worker must keep responding, and the honest client be served.
 */
export const eventLoop: Attack = {
  name: 'event-loop',
  does: 'bodies that take long to reject: empty JPEGs, base64, unknown ids, long days, many values',
  async play(scene) {
    const { gateway, watch, attackerKey } = scene;
    const { key } = await attackerKey();
    const figures: Figure[] = [];
    for (const { what, times, path, question } of await heavyRequests(scene)) {
      const target = path === 'batch' ? await rowsPath(gateway.url, key) : path;
      await watch.lap();
      await Promise.all(
        Array.from({ length: times }, () => ask(gateway.url + target, { ...question, key })),
      );
      const lap = await watch.lap();
      figures.push(responseFigure(scene, times > 1 ? `${times} × ${what}` : what, lap.gateway));
      if (what === 'base64') figures.push(memoryFigure(scene, `${times} × ${what}`, lap));
    }
    return [...figures, await byUrl(scene, key)];
  },
};
