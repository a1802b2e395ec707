import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type FeedServer, startFeedServer } from '../support/feed-server.ts';
import {
  type Console,
  PHONE,
  photoStates,
  scrollWidth,
  seriousViolations,
  unitsOf,
  type Visit,
} from './page.ts';

/** Web addresses on the cut-out page. `open` opens the console, signed in. */
export function linkCases({ open }: Console): void {
  describe('a web address on the cut-out page', () => {
    let visit: Visit;
    let page: Page;
    let shop: FeedServer;
    beforeAll(async () => {
      shop = await startFeedServer();
      visit = await open();
      page = visit.page;
      return () => Promise.all([page.context().close(), shop.close()]);
    });

    /** Hands a text to the page, as a browser does that pastes or drops it. */
    const give = (kind: 'paste' | 'drop', text: string, type = 'text/plain', on = '#cut-page') =>
      page.evaluate(`{
        const data = new DataTransfer();
        data.setData(${JSON.stringify(type)}, ${JSON.stringify(text)});
        const init = { bubbles: true, cancelable: true };
        const event = ${JSON.stringify(kind)} === 'paste'
          ? new ClipboardEvent('paste', { ...init, clipboardData: data })
          : new DragEvent('drop', { ...init, dataTransfer: data });
        document.querySelector(${JSON.stringify(on)}).dispatchEvent(event);
      }`);
    const states = () => photoStates(page);
    const rows = () => page.locator('#cut-links > li');
    const units = () => unitsOf(visit);

    test('that is pasted is a photo like any other, costs its cut-out alone, and is kept', async () => {
      const link = await shop.putImage('/media/Blue%20shirt.jpg?width=600', 1);
      await give('paste', ` ${link}\n`);
      await page.getByRole('heading', { name: 'Blue shirt' }).waitFor();
      await page.locator('.compare').waitFor();
      expect(await units()).toBe(1);
      await page.getByRole('button', { name: 'Mend with a brush' }).click();
      await page.locator('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.reload();
      await page.getByRole('heading', { name: 'Blue shirt' }).waitFor();
      await page.locator('.compare').waitFor();
      expect(shop.requests).toHaveLength(1);
      expect(await units()).toBe(1);
    });

    test('that is dropped, and several one a line, are photos too', async () => {
      const links = [await shop.putImage('/two.jpg', 2), await shop.putImage('/three.jpg', 3)];
      await give('drop', `# from a shop\r\n${links.join('\r\n')}\r\n`, 'text/uri-list');
      const wanted = ['Blue shirt: done', 'three: done', 'two: done'];
      await expect.poll(async () => (await states()).sort()).toEqual(wanted);
      expect(await rows().count()).toBe(0);
    });

    test('that leads to no photo says why, and can be tried again', async () => {
      const hanging = shop.put('/hanging.jpg', () => {});
      const large = shop.put('/large.jpg', (_request, response) => {
        response.writeHead(200, { 'content-length': 100 * 2 ** 20 }).flushHeaders();
      });
      const html = shop.put('/page', { body: '<!doctype html><p>A shirt', type: 'text/html' });
      const gone = shop.put('/gone.jpg', (_request, response) => response.writeHead(404).end());
      const words: Record<string, RegExp> = {
        [html]: /The media type is not supported|web page/,
        [large]: /larger than/,
        [gone]: /404/,
        'http://10.0.0.7/private.jpg': /not lead to a public address/,
        [hanging]: /did not|in time|took/,
      };
      await give('paste', Object.keys(words).join('\n'));
      for (const [link, says] of Object.entries(words)) {
        const row = rows().filter({ hasText: link });
        await row.locator('.error-box').waitFor();
        expect(await row.textContent()).toMatch(says);
      }
      expect(await states()).toHaveLength(3);
      const size = page.viewportSize();
      await page.setViewportSize(PHONE);
      expect(await scrollWidth(page)).toBe(PHONE.width);
      if (size) await page.setViewportSize(size);
      expect(await seriousViolations(page)).toEqual([]);
      await shop.putImage('/gone.jpg', 4);
      const row = rows().filter({ hasText: gone });
      await row.getByRole('button', { name: 'Try again' }).click();
      await expect.poll(states).toContain('gone: done');
      expect(await rows().count()).toBe(4);
      for (const _ of Array(4)) {
        await rows().first().getByRole('button', { name: 'Remove' }).click();
      }
      expect(await rows().count()).toBe(0);
    });

    test('that the service is too busy for is fetched later, or removed meanwhile', async () => {
      const body = { type: 'upstream-unavailable', title: 'Busy', status: 503, detail: 'Busy' };
      const busyFor = (seconds: number, times: number) =>
        page.route(
          '**/console/photos',
          (route) =>
            route.fulfill({
              status: 503,
              headers: { 'retry-after': String(seconds) },
              contentType: 'application/problem+json',
              body: JSON.stringify(body),
            }),
          { times },
        );
      await busyFor(2, 1);
      await give('paste', await shop.putImage('/later.jpg', 6));
      await rows().filter({ hasText: 'retrying in 2 s' }).waitFor();
      await expect.poll(states).toContain('later: done');
      expect(await rows().count()).toBe(0);

      await busyFor(100, 1);
      const before = shop.requests.length;
      await give('paste', await shop.putImage('/never.jpg', 7));
      const row = rows().filter({ hasText: 'retrying in 100 s' });
      await row.getByRole('button', { name: 'Remove' }).click();
      expect(await rows().count()).toBe(0);
      expect(shop.requests).toHaveLength(before);
    });

    test('is none where a field takes it, among other words, or one of too many', async () => {
      const before = shop.requests.length;
      const link = await shop.putImage('/five.jpg', 5);
      await give('paste', `see ${link}`);
      await give('paste', `${link}\nand more`);
      await give('paste', 'javascript:alert(1)');
      await give('paste', link, 'text/plain', '#cut-options input[type=url], #cut-page input');
      await give('paste', Array.from({ length: 21 }, (_, i) => `${link}?${i}`).join('\n'));
      const said = page.locator('#cut-said');
      await expect
        .poll(() => said.textContent())
        .toBe('21 addresses are too many: paste 20 at most');
      expect(await rows().count()).toBe(0);
      expect(shop.requests).toHaveLength(before);
    });

    test('is never fetched by the browser', () => expect(visit.foreign).toEqual([]));
  });
}
