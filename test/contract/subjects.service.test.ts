import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { formWith, postForm } from '../support/client.ts';
import { readFeed } from '../support/feed-client.ts';
import { drawnFigure } from '../support/figure.ts';
import { drawnShirt } from '../support/images.ts';
import { readJob } from '../support/intake.ts';
import { useCatalogue } from '../support/use-stack.ts';

/** The option `subject`: which part of a photo a cut-out shows. */

const WIDTH = 400;
/** Points of the drawn figure, in its photo of 400 x 800. */
const POINTS = {
  face: [200, 110],
  shirt: [200, 280],
  trousers: [170, 560],
  shoe: [121, 740],
} as const;

const { stack, shop, key, feeds, intake: jobs } = await useCatalogue();
const figure = await drawnFigure(WIDTH, 800);

const send = (fields: Record<string, string>, image = figure): Promise<Response> =>
  postForm(stack, formWith({ image, ...fields }), { key });

/** Which points of the figure a cut-out shows, at any scale. */
async function shownIn(file: Uint8Array): Promise<string[]> {
  const { data, info } = await sharp(file)
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const scale = info.width / WIDTH;
  const alphaAt = (x: number, y: number) =>
    data[Math.round(y * scale) * info.width + Math.round(x * scale)]!;
  return Object.entries(POINTS)
    .filter(([, [x, y]]) => alphaAt(x, y) > 200)
    .map(([name]) => name);
}

const bytesOf = async (response: Response): Promise<Buffer> => {
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.status, bytes.subarray(0, 300).toString()).toBe(200);
  return bytes;
};

describe('a cut-out', () => {
  test.each([
    ['all', ['face', 'shirt', 'trousers', 'shoe']],
    ['person', ['face', 'shirt', 'trousers', 'shoe']],
    ['garment', ['shirt', 'trousers', 'shoe']],
    ['top', ['shirt']],
    ['bottom', ['trousers']],
    ['shoes', ['shoe']],
  ])('with the subject %s shows %j', async (subject, points) => {
    expect(await shownIn(await bytesOf(await send({ subject })))).toEqual(points);
  });

  test('of all of the subject is the same as without the option, bit for bit', async () => {
    const [without, all] = [
      await bytesOf(await send({})),
      await bytesOf(await send({ subject: 'all' })),
    ];
    expect(all.equals(without)).toBe(true);
  });

  test('of a part has the own pixels of the photo', async () => {
    const file = await bytesOf(await send({ subject: 'bottom' }));
    const photo = await sharp(figure).raw().toBuffer();
    const { data } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
    let altered = 0;
    for (let i = 0; i < data.length / 4; i++)
      for (let c = 0; c < 3; c++)
        if (data[4 * i + 3] === 255 && data[4 * i + c] !== photo[3 * i + c]) altered++;
    expect(altered).toBe(0);
  });

  test('of a part can be cropped to it', async () => {
    const file = await bytesOf(await send({ subject: 'shoes', crop: 'true' }));
    const { height } = await sharp(file).metadata();
    expect(height).toBeLessThan(160);
  });

  test.each([
    ['dress', 'shows: '],
    ['outerwear', 'Send another subject'],
  ])(
    'of a %s that the photo does not show is 422 and says what it shows',
    async (subject, words) => {
      const response = await send({ subject });
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({
        type: 'unprocessable-image',
        detail: expect.stringContaining(words),
        errors: [{ pointer: '/subject' }],
      });
    },
  );

  test('of a person where there is none is 422, and says what to send', async () => {
    const shirt = await drawnShirt({ width: 300, height: 300, format: 'jpeg' });
    const response = await send({ subject: 'person' }, shirt);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      detail: expect.stringMatching(/Send subject "all" or "garment"/),
    });
    expect((await send({ subject: 'garment' }, shirt)).status).toBe(200);
  });

  test('of something else is 400 with a pointer', async () => {
    const response = await send({ subject: 'head' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ pointer: '/subject' }] });
  });

  test('of the clothes of several people is the largest one’s, and the review says so', async () => {
    const small = await drawnFigure(260, 520);
    const both = await sharp({
      create: { width: 1000, height: 820, channels: 3, background: '#dcd8cf' },
    })
      .composite([
        { input: figure, left: 60, top: 10 },
        { input: small, left: 660, top: 200 },
      ])
      .png()
      .toBuffer();
    const response = await send({ subject: 'garment', crop: 'true' }, both);
    expect(response.headers.get('x-cutout-review-needed')).toBe('true');
    expect(response.headers.get('x-cutout-review')).toContain('several-people');
    const { width } = await sharp(await bytesOf(response)).metadata();
    expect(width).toBeLessThan(420);
  });
});

test('in a job the subject is an option like others, and is not taken for another cut-out', async () => {
  const shown = async (options: object) => {
    const job = await jobs.done(figure, { options: JSON.stringify(options) });
    return shownIn(await bytesOf(await jobs.result(job.id)));
  };
  expect(await shown({})).toHaveLength(4);
  expect(await shown({ subject: 'bottom' })).toEqual(['trousers']);
  const missing = await readJob(await jobs.post(figure, { options: '{"subject":"dress"}' }));
  expect(await jobs.until(missing.id, 'failed')).toMatchObject({
    problem: { type: 'unprocessable-image', detail: expect.stringContaining('"dress"') },
  });
});

describe('in a feed', () => {
  const feedOf = (image: string, titles: readonly string[]) =>
    shop.put('/sold.csv', {
      body: [
        'id,title,image_link,price\r\n',
        ...titles.map((title, i) => `p${i},${title},${image},9 EUR\r\n`),
      ].join(''),
      type: 'text/csv',
    });

  /** Which points each product's picture shows, in order. */
  async function picturesOf(feedId: string, runId: string) {
    const [, ...products] = await feeds.report({ feedId, id: runId });
    return Promise.all(
      products.map(async ({ images: [{ picture, outcome }] }) => ({
        outcome,
        shows: await shownIn(await bytesOf(await fetch(picture))),
      })),
    );
  }

  test('`garment` is the one that the row sells, by its title now', async () => {
    const image = shop.put('/worn.png', { body: figure, type: 'image/png' });
    const url = feedOf(image, ['Red T-shirt', 'Blue denim jeans', 'Watch', 'Evening dress']);
    const response = await feeds.postJson({ url, options: { subject: 'garment' } });
    const feed = await readFeed(response);
    expect(feed).toMatchObject({ options: { subject: 'garment' } });
    const run = await feeds.until(feed.run, 'completed');
    const all = ['shirt', 'trousers', 'shoe'];
    expect((await picturesOf(feed.id, run.id)).map(({ shows }) => shows)).toEqual([
      ['shirt'],
      ['trousers'],
      // The title names no region, or one that the photo does not show.
      all,
      all,
    ]);
    feedOf(image, ['Black leather shoes', 'Blue denim jeans', 'Watch', 'Evening dress']);
    const next = await feeds.runAgain(feed.id);
    const [first, second] = await picturesOf(feed.id, next.id);
    expect(first).toEqual({ outcome: 'changed', shows: ['shoe'] });
    expect(second).toEqual({ outcome: 'unchanged', shows: ['trousers'] });
  });
});
