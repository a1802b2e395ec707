import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Console, naturalWidths, photo, seriousViolations, type Visit } from './page.ts';

/** Finished pictures of a batch, one large at a time. `open` opens the console, signed in. */
export function largeCases({ stack, open }: Console): void {
  describe('a finished picture of a batch', () => {
    let visit: Visit;
    let page: Page;
    beforeAll(async () => {
      visit = await open();
      page = visit.page;
      await page.goto(`${stack.url}/#/catalogue`);
      const files = await Promise.all(['1.jpg', '2.jpg', '3.jpg'].map(photo));
      await page.locator('#batch-files').setInputFiles(files);
      await page.getByRole('button', { name: 'Start' }).click();
      await page.locator('.run[data-status=completed]').waitFor();
      await tile().nth(2).waitFor();
      return () => page.context().close();
    });

    const tile = () => page.locator('.gallery button');
    const dialog = () => page.getByRole('dialog');
    const place = () => dialog().getByRole('status').textContent();
    const shown = (name: string) => dialog().locator(`img[alt="Cut-out of ${name}"]`);

    test('opens large, over the photo it was made from', async () => {
      const first = await tile().first().locator('img').getAttribute('alt');
      await tile().first().press('Enter');
      await dialog().locator(`.compare img[alt="${first}"]`).waitFor();
      expect(await place()).toBe('1 of 3');
      expect(await naturalWidths(dialog().locator('.compare img'))).toEqual([400, 400]);
      expect(await seriousViolations(page)).toEqual([]);
    });

    test('goes to the others by arrows, and closes by Escape', async () => {
      const names = await tile()
        .locator('img')
        .evaluateAll((images) => images.map((image) => image.getAttribute('alt')));
      const [, second = '', third = ''] = names.map((alt) => alt?.replace('Cut-out of ', ''));
      await page.keyboard.press('ArrowRight');
      await shown(second).waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      await shown(third).waitFor();
      expect(await place()).toBe('3 of 3');
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
      expect(visit.errors).toEqual([]);
    });

    test('is shown alone when its photo is no longer there', async () => {
      await page.reload();
      await page.locator('#recent-list button').first().click();
      await tile().first().click();
      await dialog().locator('.large-pictures > img').waitFor();
      expect(await dialog().locator('.compare').count()).toBe(0);
      await dialog().getByRole('button', { name: 'Close' }).click();
      await dialog().waitFor({ state: 'detached' });
      expect(visit.foreign).toEqual([]);
    });
  });
}
