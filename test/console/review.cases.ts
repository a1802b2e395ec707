import { createHash, randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Batches } from '../../src/intake/batches/batches.ts';
import { ReviewDecisions } from '../../src/intake/review/decisions.ts';
import { hostClock } from '../../src/platform/clock.ts';
import { plantEndedBatch } from '../support/ended-batch.ts';
import { transparentShirt } from '../support/images.ts';
import { openStore } from '../support/test-store.ts';
import { type Console, scrollWidth, seriousViolations, tabTo, type Visit } from './page.ts';

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Plants a batch whose rows all have the same cut-out. Returns its path. */
async function plantBatch(
  { stack, register }: Console,
  client: string,
  rows: number,
): Promise<string> {
  const blobs = await openStore(stack);
  const id = `batch_${randomUUID().replaceAll('-', '')}`;
  const key = `out/${client}/${id}/shirt`;
  const shirt = await transparentShirt({ width: 90, height: 120, format: 'png' });
  const cutout = { key, bytes: shirt.length, sha256: sha256Of(shirt) };
  await blobs.put(key, shirt, { mediaType: 'image/png' });
  const deps = {
    blobs,
    batches: new Batches(register.redis, hostClock),
    reviews: new ReviewDecisions(register.redis),
  };
  const at = new Date(hostClock()).toISOString();
  const expiresAt = new Date(hostClock() + 3_600_000).toISOString();
  await plantEndedBatch(deps, { id, client, rows, at, expiresAt, cutout });
  return `/batches/${id}`;
}

/** As in src/console/browser/review/view.js. */
const ADDRESS_MILLIS = 300;

const ReviewList = z.object({ rows: z.array(z.object({ decision: z.string() })) });

const tiles = (page: Page) => page.locator('.review-tile');
const selected = (page: Page) => page.locator('.review-tile[aria-selected=true]');
const progress = (page: Page) => page.locator('.review-progress b');

/** Tests of the page on which people review cut-outs. */
export function reviewCases(shared: Console): void {
  const { stack, open } = shared;
  describe('a review', () => {
    let visit: Visit;
    let page: Page;
    beforeAll(async () => {
      visit = await open();
      page = visit.page;
      return () => page.context().close();
    });

    const decisionsOf = async (path: string): Promise<string[]> => {
      const { rows } = ReviewList.parse(await visit.read(`${path}/review?limit=100`));
      return rows.map(({ decision }) => decision);
    };
    async function show(path: string): Promise<void> {
      // From another page, so that nothing of an earlier review is taken for this one.
      await page.goto(`${stack.url}/#/usage`);
      await page.locator('[data-page="usage"]:not([hidden])').waitFor();
      await page.goto(`${stack.url}/#/review${path}`);
      await selected(page).locator('img').waitFor();
    }

    test('of 10,000 rows has few of them in the page, and ends with the last', async () => {
      const pages: string[] = [];
      page.on('request', (request) => {
        if (/\/review\?/.test(request.url())) pages.push(request.url());
      });
      await show(await plantBatch(shared, visit.client, 10_000));
      await expect.poll(() => progress(page).textContent()).toBe('0 of 10,000 reviewed');
      expect(await tiles(page).count()).toBeLessThan(80);
      await page.locator('.review-grid').evaluate((grid) => grid.scrollTo(0, grid.scrollHeight));
      await page.locator('[data-row="9999"] img').waitFor();
      expect(await tiles(page).count()).toBeLessThan(80);
      await page
        .locator('.review-grid')
        .evaluate((grid) => grid.scrollTo(0, grid.scrollHeight / 2));
      await page.locator('[data-row="5000"]').waitFor();
      await page.locator('.review-grid').focus();
      await page.keyboard.press('End');
      await expect.poll(() => selected(page).getAttribute('data-row')).toBe('9999');
      expect(await tiles(page).count()).toBeLessThan(80);
      expect(pages.length).toBeLessThan(15);
    });

    test('leaves the address alone once somebody has gone to another page', async () => {
      await show(await plantBatch(shared, visit.client, 2));
      // At once, as on a busy machine: the address is written some time after the key.
      await page.evaluate(`
        const grid = document.querySelector('.review-grid');
        grid.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
        location.hash = '#/usage';
        new Promise((resolve) => setTimeout(resolve, ${2 * ADDRESS_MILLIS}));
      `);
      expect(page.url()).toContain('#/usage');
    });

    describe('by keyboard', () => {
      let path: string;
      beforeAll(async () => {
        path = await plantBatch(shared, visit.client, 7);
        await show(path);
      });

      test('approves, rejects with a note, and takes back', async () => {
        await tabTo(page, '.review-grid');
        await page.keyboard.press('a');
        await page.keyboard.press('r');
        await expect.poll(() => progress(page).textContent()).toBe('2 of 7 reviewed');
        const firstThree = async () => (await decisionsOf(path)).slice(0, 3);
        await expect.poll(firstThree).toEqual(['approved', 'rejected', 'pending']);
        await page.keyboard.press('u');
        await expect.poll(() => progress(page).textContent()).toBe('1 of 7 reviewed');
        await expect.poll(() => selected(page).getAttribute('data-row')).toBe('1');
        await page.keyboard.press('Enter');
        await page.locator('.review-single h2', { hasText: 'sku-1' }).waitFor();
        await tabTo(page, '.review-panel input');
        await page.keyboard.type('A sleeve is a mess'); // with an a, an r and an m
        await page.keyboard.press('Enter');
        await page.keyboard.press('r');
        await page.locator('.review-single h2', { hasText: 'sku-2' }).waitFor();
        await expect.poll(() => decisionsOf(path)).toContain('rejected');
        await page.keyboard.press('ArrowLeft');
        await page.locator('.review-panel', { hasText: 'A sleeve is a mess' }).waitFor();
        expect(await page.locator('.review-single img').getAttribute('alt')).toBe(
          'Cut-out of sku-1',
        );
      });

      test('keeps place and view in the address', async () => {
        await expect.poll(() => page.url()).toContain(`#/review${path}?at=2&view=single`);
        await page.reload();
        await page.locator('.review-single h2', { hasText: 'sku-1' }).waitFor();
        await page.keyboard.press('g');
        await expect.poll(() => selected(page).getAttribute('data-row')).toBe('1');
        await page.goBack();
        await page.locator('.review-single').waitFor();
        await page.keyboard.press('Escape');
      });

      test('filters by reason and decision, also after a reload', async () => {
        await page.getByLabel('Reason').selectOption('blurred');
        await page.getByLabel('Decision').selectOption('pending');
        const rows = () => tiles(page).evaluateAll((all) => all.map((tile) => tile.dataset.row));
        await expect.poll(rows).toEqual(['3', '5']);
        expect(page.url()).toContain('reason=blurred&decision=pending');
        await page.reload();
        await expect.poll(rows).toEqual(['3', '5']);
        expect(await page.getByLabel('Reason').inputValue()).toBe('blurred');
        await page.goBack();
        await expect.poll(rows).toEqual(['1', '3', '5']);
      });

      test('shows what somebody else has decided meanwhile', async () => {
        await show(path);
        const other = await visit.postJson(`/intake/v1${path}/review/4`, {
          decision: 'approved',
          note: 'Fine with me',
          revision: 0,
        });
        expect(other.status).toBe(200);
        await page.locator('[data-row="4"]').click();
        await page.keyboard.press('r');
        const notice = page.locator('.review-view [role=alert]');
        await notice.waitFor();
        expect(await notice.textContent()).toContain(
          'has approved it in the meantime, noting “Fine',
        );
        await page.locator('[data-row="4"].is-approved').waitFor();
        await page.keyboard.press('r');
        await page.locator('[data-row="4"].is-rejected').waitFor();
        await expect.poll(async () => (await decisionsOf(path))[4]).toBe('rejected');
      });

      test('approves many at once, and says before how many', async () => {
        await page.getByRole('button', { name: 'Approve many' }).click();
        await page.getByLabel('from this confidence on').fill('80');
        await page.getByText('1 pending row will be approved').waitFor();
        await page.getByLabel('from this confidence on').fill('40');
        await page.getByText('3 pending rows will be approved').waitFor();
        await page.keyboard.press('Enter');
        await page.locator('[data-row="6"].is-approved').waitFor();
        expect(await decisionsOf(path)).toEqual([
          'approved',
          'rejected',
          'pending',
          'approved',
          'rejected',
          'approved',
          'approved',
        ]);
      });

      test('says which keys there are', async () => {
        await page.keyboard.press('?');
        await page.getByRole('heading', { name: 'Keys' }).waitFor();
        await page.keyboard.press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
      });

      test('is as wide as the screen of a phone, with its buttons in a row', async () => {
        await page.setViewportSize({ width: 390, height: 844 });
        await show(path);
        expect(await scrollWidth(page)).toBe(390);
        await page.locator('.review-grid').press('Enter');
        await page.locator('.review-single img').first().waitFor();
        expect(await scrollWidth(page)).toBe(390);
        const tops = await page
          .locator('.review-panel .review-buttons button')
          .evaluateAll((all) => all.map((button) => button.getBoundingClientRect().top));
        expect(tops.length).toBeGreaterThan(3);
        expect(new Set(tops).size).toBe(1);
        await page.setViewportSize({ width: 1280, height: 720 });
      });

      test.each(['light', 'dark'] as const)(
        'has no serious accessibility violations in %s mode',
        async (colorScheme) => {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await show(path);
          expect(await seriousViolations(page)).toEqual([]);
          await page.keyboard.press('Enter');
          await page.locator('.review-single img').first().waitFor();
          expect(await seriousViolations(page)).toEqual([]);
          await page.keyboard.press('Escape');
        },
      );
    });

    test('loads from nowhere but the gateway', () => {
      expect(visit.foreign).toEqual([]);
    });
  });
}
