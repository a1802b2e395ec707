import { describe, expect, test } from 'vitest';
import { readFeed, readRun } from '../support/feed-client.ts';
import { pictureOf } from '../support/feed-server.ts';
import { END_MILLIS } from '../support/intake.ts';
import { useCatalogue } from '../support/use-stack.ts';

/* A published picture is a promise: what a bad night of a shop does not take away. */

const { shop: server, feeds, postJson } = await useCatalogue();

/** Pictures no other test of this file uses. */
let pictures = 200;
const header = 'id,title,image_link\n';

/** A shop of so many products with a picture each, whose feed and pictures can fail. */
async function openShop(products: number) {
  const at = `/promise-${pictures}`;
  const ids = Array.from({ length: products }, (_, i) => `p${i}`);
  const first = pictures;
  pictures += products;
  const linkOf = (id: string) => `${server.origin}${at}/${id}.jpg`;
  const heal = () => Promise.all(ids.map((id, i) => server.putImage(`${at}/${id}.jpg`, first + i)));
  const offer = (rows: readonly string[]) =>
    server.put(`${at}/feed.csv`, { body: header + rows.join(''), type: 'text/csv' });
  const rowsOf = (some: readonly string[]) => some.map((id) => `${id},${id},${linkOf(id)}\n`);
  await heal();
  const response = await feeds.postJson({ url: offer(rowsOf(ids)) });
  expect(response.status).toBe(202);
  const feed = await readFeed(response);
  await feeds.until(feed.run, 'completed');
  return {
    ids,
    feed,
    offer,
    rowsOf,
    heal,
    linkOf,
    path: (id: string) => `${at}/${id}.jpg`,
    fail: (status: number, some: readonly string[] = ids) => {
      for (const id of some) {
        server.put(`${at}/${id}.jpg`, (_request, answer) => answer.writeHead(status).end('down'));
      }
    },
    fetches: () => server.requests.filter(({ path }) => path.startsWith(`${at}/p`)).length,
  };
}

const exported = async (feedId: string): Promise<string> =>
  (await feeds.ask('GET', `/feeds/${feedId}/export`)).text();

const publishedLinks = async (feedId: string): Promise<string[]> =>
  [...(await exported(feedId)).matchAll(/http:\/\/[^,\n]*\/intake\/v1\/files\/[^,\n]*/g)].map(
    ([link]) => link,
  );

const statusOf = async (link: string): Promise<number> => (await fetch(link)).status;

test.each([503, 404, 403])(
  'a picture whose source cannot be fetched is stale and keeps its link: HTTP %i',
  async (status) => {
    const shop = await openShop(3);
    const links = await publishedLinks(shop.feed.id);
    expect(links).toHaveLength(3);
    const before = await feeds.quotaLeft();
    shop.fail(status, ['p0', 'p1']);
    const run = await feeds.runAgain(shop.feed.id);
    const expected = { succeeded: 3, stale: 2, unchanged: 1, changed: 0, failed: 0 };
    expect(run.counts).toMatchObject(expected);
    expect(await publishedLinks(shop.feed.id)).toEqual(links);
    for (const link of links) expect(await statusOf(link)).toBe(200);
    const [, product] = await feeds.report(run);
    expect(product.images[0]).toMatchObject({
      outcome: 'stale',
      reason: expect.stringContaining(String(status)),
      staleSince: expect.stringMatching(/^\d{4}-/),
      picture: links[0],
    });
    expect(run).toMatchObject({ reasons: { [`http-${status}`]: 2 } });

    const again = await feeds.runAgain(shop.feed.id);
    const [, later] = await feeds.report(again);
    expect(later.images[0].staleSince).toBe(product.images[0].staleSince);

    await shop.heal();
    const sound = await feeds.runAgain(shop.feed.id);
    expect(sound.counts).toMatchObject({ stale: 0, unchanged: 3 });
    expect(await feeds.quotaLeft()).toBe(before);
  },
);

describe('a published link', () => {
  test('goes on answering the old picture when it was replaced', async () => {
    const shop = await openShop(2);
    const [link = ''] = await publishedLinks(shop.feed.id);
    const old = await (await fetch(link)).arrayBuffer();
    server.put(shop.path('p0'), {
      body: await pictureOf(pictures++),
      type: 'image/jpeg',
    });
    const run = await feeds.runAgain(shop.feed.id);
    expect(run.counts).toMatchObject({ changed: 1, unchanged: 1 });
    expect((await publishedLinks(shop.feed.id))[0]).not.toBe(link);
    const answer = await fetch(link);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(old))).toBe(true);
  });

  test('goes on while its row is left out, and the row costs nothing when it is back', async () => {
    const shop = await openShop(6);
    const links = await publishedLinks(shop.feed.id);
    const before = await feeds.quotaLeft();
    shop.offer(shop.rowsOf(shop.ids.slice(1)));
    await feeds.runAgain(shop.feed.id);
    expect(await statusOf(links[0] ?? '')).toBe(200);
    shop.offer(shop.rowsOf(shop.ids));
    const back = await feeds.runAgain(shop.feed.id);
    expect(back.counts).toMatchObject({ unchanged: 6, changed: 0 });
    expect(await publishedLinks(shop.feed.id)).toEqual(links);
    expect(await feeds.quotaLeft()).toBe(before);
  });
});

describe('a run that would lose too much', () => {
  test('is held, changes nothing, and goes on when it is confirmed', async () => {
    const shop = await openShop(5);
    const links = await publishedLinks(shop.feed.id);
    const before = await exported(shop.feed.id);
    shop.offer(shop.rowsOf(shop.ids.slice(0, 3)));
    const fetches = shop.fetches();
    const held = await feeds.runAgain(shop.feed.id, 'held');
    expect(held).toMatchObject({
      held: {
        rows: { before: 5, lost: 2 },
        pictures: { before: 5, lost: 2 },
        first: [
          { id: 'p3', title: 'p3' },
          { id: 'p4', title: 'p4' },
        ],
      },
    });
    expect(shop.fetches()).toBe(fetches);
    expect(await exported(shop.feed.id)).toBe(before);
    for (const link of links) expect(await statusOf(link)).toBe(200);

    const confirmed = await feeds.ask('POST', `${feeds.pathOf(held)}/confirm`);
    expect(confirmed.status).toBe(202);
    const done = await feeds.until(held, 'completed');
    expect(done.held).toBeUndefined();
    expect(await publishedLinks(shop.feed.id)).toEqual(links.slice(0, 3));
    for (const link of links) expect(await statusOf(link)).toBe(200);
    const again = await feeds.ask('POST', `${feeds.pathOf(held)}/confirm`);
    expect(again.status).toBe(409);
  });

  test('gives way to the next run', async () => {
    const shop = await openShop(3);
    shop.offer([]);
    const held = await feeds.runAgain(shop.feed.id, 'held');
    expect(held).toMatchObject({ counts: { rows: 0 }, held: { rows: { before: 3, lost: 3 } } });
    shop.offer(shop.rowsOf(shop.ids));
    const sound = await feeds.runAgain(shop.feed.id);
    expect(sound.counts).toMatchObject({ unchanged: 3 });
    const superseded = await feeds.until(held, 'canceled');
    expect(superseded.problem?.detail).toMatch(/later run/);
  });

  test('may be canceled', async () => {
    const shop = await openShop(2);
    shop.offer(shop.rowsOf(['p0']));
    const held = await feeds.runAgain(shop.feed.id, 'held');
    const response = await feeds.ask('POST', `${feeds.pathOf(held)}/cancel`);
    expect(response.status).toBe(200);
    await feeds.until(held, 'canceled');
    expect(await publishedLinks(shop.feed.id)).toHaveLength(2);
  });
});

test('a run with every row rejected is failed, and changes nothing', async () => {
  const shop = await openShop(2);
  const before = await exported(shop.feed.id);
  shop.offer(['p0,p0,\n', 'p1,p1,\n']);
  const run = await feeds.runAgain(shop.feed.id, 'failed');
  expect(run.problem?.detail).toMatch(/All 2 rows are rejected/);
  expect(run).toMatchObject({ reasons: { 'missing-image': 2 }, counts: { rows: 2, rejected: 2 } });
  expect(await exported(shop.feed.id)).toBe(before);
});

describe('a photo', () => {
  /** A feed of so many products, each with so many sizes of one photo. */
  async function sizesShop(products: number, sizes: number) {
    const at = `/sizes-${pictures}`;
    const links: string[] = [];
    for (let i = 0; i < products; i++) {
      links.push(await server.putImage(`${at}/${i}.jpg`, pictures++));
    }
    const text = (idOf: (id: string) => string, query: string) =>
      header +
      links
        .flatMap((link, i) =>
          Array.from(
            { length: sizes },
            (_, size) => `${idOf(`p${i}-${size}`)},p,${link}${query}\n`,
          ),
        )
        .join('');
    const offer = (idOf = (id: string) => id, query = '') => {
      if (query)
        for (const [i] of links.entries())
          void server.putImage(`${at}/${i}.jpg${query}`, pictures - products + i);
      return server.put(`${at}/feed.csv`, { body: text(idOf, query), type: 'text/csv' });
    };
    const fetches = () =>
      server.requests.filter(({ path }) => /\d\.jpg/.test(path) && path.startsWith(at)).length;
    return { offer, fetches };
  }

  test('is fetched once a run, and charged once, whatever the number of its rows', async () => {
    const { offer, fetches } = await sizesShop(5, 8);
    const before = await feeds.quotaLeft();
    const { feed, run } = await feeds.completed({ url: offer() });
    expect(run.counts).toMatchObject({ images: 40, succeeded: 40, units: 5 });
    expect(fetches()).toBe(5);
    expect(before - (await feeds.quotaLeft())).toBe(5);
    expect(new Set((await publishedLinks(feed.id)).map((link) => link.split('?')[1])).size).toBe(5);

    const again = await feeds.runAgain(feed.id);
    expect(again.counts).toMatchObject({ unchanged: 40, units: 0 });
    expect(fetches()).toBe(10);

    offer((id) => id.toUpperCase(), '?signature=2');
    const signed = await feeds.runAgain(feed.id);
    expect(signed.counts).toMatchObject({ unchanged: 40, changed: 0, units: 0 });

    const other = await readFeed(await feeds.postJson({ url: offer() }));
    const elsewhere = await feeds.until(other.run, 'completed');
    expect(elsewhere.counts).toMatchObject({ succeeded: 40, units: 0 });
    expect(before - (await feeds.quotaLeft())).toBe(5);
    const [link = ''] = await publishedLinks(other.id);
    await feeds.ask('DELETE', `/feeds/${feed.id}`);
    expect(await statusOf(link)).toBe(200);
  });

  test('that comes twice at once by two links is processed once', async () => {
    const picture = pictures++;
    const links = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => server.putImage(`/twins-${picture}/${name}.jpg`, picture)),
    );
    const rows = links.map((link, i) => `t${i},t,${link}\n`);
    const url = server.put(`/twins-${picture}/feed.csv`, {
      body: header + rows.join(''),
      type: 'text/csv',
    });
    const { run } = await feeds.completed({ url });
    expect(run.counts).toMatchObject({ succeeded: 4, units: 1 });
  });

  test('whose link fails fails once for all of its rows', async () => {
    const shop = await openShop(1);
    const rows = ['a', 'b', 'c'].map(
      (id) => `${id},${id},${server.origin}/nowhere-${pictures}.jpg\n`,
    );
    shop.offer([...shop.rowsOf(shop.ids), ...rows]);
    const run = await feeds.runAgain(shop.feed.id);
    expect(run).toMatchObject({ counts: { failed: 3, unchanged: 1 }, reasons: { 'http-404': 3 } });
    const asked = server.requests.filter(({ path }) => path === `/nowhere-${pictures}.jpg`);
    expect(asked).toHaveLength(1);
  });
});

test('a dry run counts what a run would cost, and fetches no image', async () => {
  const { feed, offer, rowsOf, ids, fetches } = await openShop(2);
  offer([
    ...rowsOf(ids),
    `x,x,${server.origin}/new.jpg\n`,
    `y,y,${server.origin}/new.jpg\n`,
    'z,z,\n',
  ]);
  const before = [await exported(feed.id), fetches(), await feeds.quotaLeft()];
  const started = await feeds.ask('POST', `/feeds/${feed.id}/runs?dryRun=true`);
  expect(started.status).toBe(202);
  const run = await feeds.until(await readRun(started), 'completed');
  expect(run).toMatchObject({
    plan: {
      products: 4,
      links: 4,
      photos: 3,
      unreadable: 1,
      units: 3,
      loss: { rows: { lost: 0 } },
    },
  });
  expect([await exported(feed.id), fetches(), await feeds.quotaLeft()]).toEqual(before);
  expect((await feeds.ask('GET', `${feeds.pathOf(run)}/export`)).status).toBe(409);

  const url = offer(rowsOf(ids));
  const response = await postJson('/intake/v1/feeds?dryRun=true', { url });
  const { run: first } = await readFeed(response);
  expect(await feeds.until(first, 'completed')).toMatchObject({ plan: { products: 2, units: 2 } });
});

test('a bad night: the image server fails, then the feed is cut short, then all is well', async () => {
  const shop = await openShop(6);
  const links = await publishedLinks(shop.feed.id);
  const before = await feeds.quotaLeft();
  const nothingIsLost = async () => {
    expect(await publishedLinks(shop.feed.id)).toEqual(links);
    for (const link of links) expect(await statusOf(link)).toBe(200);
    expect(await feeds.quotaLeft()).toBe(before);
  };

  shop.fail(503);
  const down = await feeds.runAgain(shop.feed.id);
  expect(down.counts).toMatchObject({ stale: 6, succeeded: 6, failed: 0, units: 0 });
  await nothingIsLost();

  shop.offer(shop.rowsOf(shop.ids.slice(0, 2)));
  const cut = await feeds.runAgain(shop.feed.id, 'held');
  expect(cut).toMatchObject({ held: { rows: { before: 6, lost: 4 } } });
  await nothingIsLost();

  shop.offer(['p0,"cut in the mid']);
  await feeds.runAgain(shop.feed.id, 'failed');
  await nothingIsLost();

  await shop.heal();
  shop.offer(shop.rowsOf(shop.ids));
  // The host may count as down for half a minute.
  await expect
    .poll(async () => (await feeds.runAgain(shop.feed.id)).counts, { timeout: END_MILLIS })
    .toMatchObject({ unchanged: 6, stale: 0 });
  await nothingIsLost();
});
