import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Console,
  downloaded,
  photo,
  photoStates,
  seriousViolations,
  type Visit,
} from './page.ts';

/** Returns the states of the photos that the browser keeps. */
const keptIn = (page: Page): Promise<string[]> =>
  page.evaluate(`new Promise((resolve, reject) => {
    const request = indexedDB.open('selvage-photos', 1);
    request.onerror = () => reject(request.error);
    request.onupgradeneeded = () => request.transaction.abort(); // the page has not made it yet
    request.onsuccess = () => {
      const all = request.result.transaction('photos').objectStore('photos').getAll();
      all.onsuccess = () => {
        request.result.close();
        resolve(all.result.map(({ state }) => state));
      };
    };
  }).catch(() => [])`);

/** What the cut-out page keeps. */
export function keptCases({ stack, open }: Console): void {
  describe('the photos of the cut-out page', () => {
    let visit: Visit;
    let page: Page;
    /** Requests that cost an image. */
    let drawn = 0;
    beforeAll(async () => {
      visit = await open();
      page = visit.page;
      page.on('request', (request) => {
        if (request.url().endsWith('/bg/v1/background-removals')) drawn++;
      });
      page.on('dialog', (dialog) => dialog.accept());
      return () => page.context().close();
    });

    const tiles = () => page.locator('.strip-tile');
    const states = () => photoStates(page);
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const zipped = async () => unzipSync(await downloaded(page, 'All as a ZIP'));

    test('are there after a reload, cut out, and cost nothing again', async () => {
      const photos = [await photo(), await photo(), await photo('three.jpg')];
      await page.locator('#cut-files').setInputFiles(photos);
      const done = ['shirt: done', 'shirt: done', 'three: done'];
      await expect.poll(states).toEqual(done);
      await expect.poll(() => keptIn(page)).toEqual(['done', 'done', 'done']);
      await page.reload();
      await expect.poll(states).toEqual(done);
      await page.locator('.compare').waitFor();
      expect(await page.locator('#cut-panel .facts').textContent()).toContain('400 × 500 pixels');
      expect(drawn).toBe(3);
      expect(await seriousViolations(page)).toEqual([]);
    });

    test('are downloaded together, each with a name of its own', async () => {
      const files = await zipped();
      expect(Object.keys(files)).toEqual([
        'shirt-cut-out.png',
        'shirt-2-cut-out.png',
        'three-cut-out.png',
      ]);
      for (const file of Object.values(files)) {
        expect(await sharp(file).metadata()).toMatchObject({ format: 'png', width: 400 });
      }
      expect(drawn).toBe(3);
    });

    test('go on being cut out if the page is reloaded meanwhile', async () => {
      const url = '**/bg/v1/background-removals';
      await page.route(url, () => {}); // never answered
      await page.locator('#cut-files').setInputFiles(await photo('later.jpg'));
      await expect.poll(() => keptIn(page)).toEqual(['done', 'done', 'done', 'working']);
      await page.unroute(url);
      await page.reload();
      await expect.poll(states).toContain('later: done');
    });

    test('are removed one by one, or all', async () => {
      await page.getByRole('button', { name: 'three: done' }).click();
      await button('Remove').click();
      const left = ['shirt: done', 'shirt: done', 'later: done'];
      await expect.poll(states).toEqual(left);
      await expect.poll(() => keptIn(page)).toHaveLength(3);
      await page.reload();
      await expect.poll(states).toEqual(left);
      await button('Remove all').click();
      await expect.poll(() => keptIn(page)).toEqual([]);
      expect(await page.locator('#cut-work').isVisible()).toBe(false);
      await page.locator('#cut-sample').waitFor();
    });

    test('that the storage has no room for are told, and stay in the page', async () => {
      await page.evaluate(`{
        const { put } = IDBObjectStore.prototype;
        globalThis.makeRoom = () => { IDBObjectStore.prototype.put = put; };
        IDBObjectStore.prototype.put = () => {
          throw new DOMException('Full', 'QuotaExceededError');
        };
      }`);
      await page.locator('#cut-files').setInputFiles([await photo(), await photo('two.jpg')]);
      await expect.poll(states).toEqual(['shirt: done', 'two: done']);
      await expect
        .poll(() => page.locator('#cut-storage').textContent())
        .toContain('2 of 2 photos are in this page only');
      const files = ['shirt-cut-out.png', 'two-cut-out.png'];
      expect(Object.keys(await zipped())).toEqual(files);
      await page.evaluate('makeRoom()');
      await button('Remove').click();
      await expect.poll(() => page.locator('#cut-storage').textContent()).toBe('');
      await expect.poll(() => keptIn(page)).toEqual(['done']);
    });

    test('are not seen by another client', async () => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.locator('#sign-in').waitFor();
      const { key } = await stack.key({ client: 'other' });
      await page.locator('#key').fill(key);
      await page.keyboard.press('Enter');
      await page.locator('#cut-sample').waitFor();
      await page.locator('#cut-files').setInputFiles(await photo('own.jpg'));
      await expect.poll(() => keptIn(page)).toEqual(['done', 'done']);
      await page.reload();
      await page.getByRole('heading', { name: 'own' }).waitFor();
      expect(await tiles().count()).toBe(0);
    });

    test('come from the gateway alone', () => expect(visit.foreign).toEqual([]));
  });
}
