import { expect, test } from 'vitest';
import { readFeed } from '../support/feed-client.ts';
import { pictureOf } from '../support/feed-server.ts';
import { useCatalogue, useShop } from '../support/use-stack.ts';

/* A feed is changed, and protected servers are read with what is given for them. */

const { shop, feeds, sendJson } = await useCatalogue();
const other = await useShop();

const patch = (id: string, body: unknown): Promise<Response> =>
  sendJson('PATCH', `/intake/v1/feeds/${id}`, body);

const BASIC = `Basic ${Buffer.from('feeds:s3cret').toString('base64')}`;

/** A feed and a picture that want a password and a browser, and another that leads elsewhere. */
async function protect(at: string): Promise<string> {
  const [first, second] = await Promise.all([pictureOf(410), pictureOf(411)]);
  const guard = (body: string | Buffer, type: string) =>
    shop.put(`${at}/${type}`, (request, response) => {
      const { authorization, 'user-agent': agent, referer } = request.headers;
      const isRight =
        authorization === BASIC && agent === 'Shop/1' && referer === 'https://shop.example/';
      if (isRight) response.writeHead(200, { 'content-type': type }).end(body);
      else response.writeHead(401, { 'www-authenticate': 'Basic' }).end('who is it?');
    });
  const picture = guard(first, 'image/jpeg');
  const elsewhere = other.put(`${at}.jpg`, { body: second, type: 'image/jpeg', etag: null });
  const led = shop.put(`${at}/led`, (_request, response) =>
    response.writeHead(302, { location: elsewhere }).end(),
  );
  return guard(`id,image_link\na,${picture}\nb,${led}\n`, 'text/csv');
}

const access = {
  username: 'feeds',
  password: 's3cret',
  headers: { 'X-Token': 'also secret' },
  userAgent: 'Shop/1',
  referer: 'https://shop.example/',
};

test('a protected feed and its images are read, and no other server gets the password', async () => {
  const response = await feeds.postJson({ url: await protect('/protected'), access });
  expect(response.status).toBe(202);
  const text = await response.clone().text();
  expect(text).not.toMatch(/s3cret|also secret|sealed|ZmVlZHM6/);
  const feed = await readFeed(response);
  expect(feed.access).toEqual({
    origin: shop.origin,
    headers: ['X-Token', 'authorization'],
    userAgent: 'Shop/1',
    referer: 'https://shop.example/',
  });
  const run = await feeds.until(feed.run, 'completed');
  expect(run.counts).toMatchObject({ rows: 2, changed: 2, failed: 0 });
  const ours = shop.requests.filter(({ path }) => path.startsWith('/protected'));
  expect(ours.every(({ headers }) => headers['x-token'] === 'also secret')).toBe(true);
  expect(other.requests.map(({ path }) => path)).toEqual(['/protected.jpg']);
  for (const { headers } of other.requests) {
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('x-token');
    expect(headers['user-agent']).toBe('Shop/1');
  }
});

test('a feed without what its server wants says so, and reads when it is given', async () => {
  const feed = await readFeed(await feeds.postJson({ url: await protect('/locked') }));
  const failed = await feeds.until(feed.run, 'failed');
  expect(failed.problem?.detail).toContain('401');
  expect((await patch(feed.id, { access })).status).toBe(200);
  expect((await feeds.runAgain(feed.id)).counts).toMatchObject({ rows: 2, failed: 0 });
  const without = await readFeed(await patch(feed.id, { access: null }));
  expect(without.access).toBeUndefined();
  await feeds.runAgain(feed.id, 'failed');
});

test('a mapping, a schedule and a quality are changed for the next run; earlier exports stay', async () => {
  const [a, b] = [await shop.putImage('/edit/a.jpg', 412), await shop.putImage('/edit/b.jpg', 413)];
  const url = shop.put('/edit/feed.csv', {
    body: `id,main,image_link\nx,${a},${b}\n`,
    type: 'text/csv',
  });
  const feed = await readFeed(await feeds.postJson({ url, schedule: '30 4 * * *' }));
  const first = await feeds.until(feed.run, 'completed');
  const changes = { mapping: { image: 'main' }, schedule: null, options: { quality: 'fast' } };
  const edited = await readFeed(await patch(feed.id, changes));
  expect(edited).toMatchObject({ mapping: { image: 'main' }, options: { quality: 'fast' } });
  expect(edited.schedule).toBeUndefined();
  const exported = async () => (await feeds.ask('GET', `/feeds/${feed.id}/export`)).text();
  const before = await exported();
  expect(before).toContain(a);
  expect(before).not.toContain(b);
  const run = await feeds.runAgain(feed.id);
  expect(run.id).not.toBe(first.id);
  const after = await exported();
  expect(after).toContain(b);
  expect(after).not.toContain(a);
});

test.each([
  { body: {}, says: /what to change/ },
  { body: { access: { password: 'x' } }, says: /username/ },
  { body: { access: { headers: { Host: 'x' } } }, says: /cannot be set/ },
  { body: { access: { headers: { 'X-A': 'a\r\nB: c' } } }, says: /ASCII/ },
  { body: { url: 'https://x.example' }, says: /url/ },
  { body: { schedule: '* * * * *' }, says: /more often/ },
])('a change that cannot be made is refused: $body', async ({ body, says }) => {
  const url = shop.put('/refused.csv', { body: 'id,image_link\n', type: 'text/csv' });
  const feed = await readFeed(await feeds.postJson({ url }));
  const response = await patch(feed.id, body);
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(says);
  await feeds.ask('DELETE', `/feeds/${feed.id}`);
});

test('headers of a feed that is sent need the server that gets them', async () => {
  const feed = await readFeed(await feeds.send('/feeds', 'id,image_link\n'));
  expect((await patch(feed.id, { access })).status).toBe(400);
  const given = await patch(feed.id, { access: { ...access, origin: `${shop.origin}/x` } });
  expect(await given.json()).toMatchObject({ access: { origin: shop.origin } });
  expect((await patch(feed.id, { schedule: '30 4 * * *' })).status).toBe(400);
});
